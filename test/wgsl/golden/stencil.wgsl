@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) local_index: u32,
  @builtin(workgroup_id) workgroup_id: vec3u,
  @builtin(num_workgroups) num_workgroups: vec3u
) {
  let group = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);
  let id = ek_params.base + group;
  if (id >= ek_params.count) { return; }
  let program = i32(id);
  let lane = i32(local_index);
  // %0 = programId
  let v0 = program / 3;
  // %1 = programId
  let v1 = program % 3;
  // store o, %12
  {
    let el = lane;
    let i = (v0 * 8) + (el / 8);
    let i_1 = (v1 * 8) + (el % 8);
    if ((u32(i) < 30u) && (u32(i_1) < 21u)) {
      let i_2 = ((v0 * 8) + (el / 8)) - 1;
      let i_3 = ((v1 * 8) + ((el % 8) + 1)) - 1;
      let v2 = select(0f, bitcast<f32>(x[(i_2 * 21) + i_3]), (u32(i_2) < 30u) && (u32(i_3) < 21u));
      let i_4 = ((v0 * 8) + ((el / 8) + 2)) - 1;
      let v2_1 = select(0f, bitcast<f32>(x[(i_4 * 21) + i_3]), (u32(i_4) < 30u) && (u32(i_3) < 21u));
      let v9 = v2 + v2_1;
      let i_5 = ((v0 * 8) + ((el / 8) + 1)) - 1;
      let i_6 = ((v1 * 8) + (el % 8)) - 1;
      let v2_2 = select(0f, bitcast<f32>(x[(i_5 * 21) + i_6]), (u32(i_5) < 30u) && (u32(i_6) < 21u));
      let v10 = v9 + v2_2;
      let i_7 = ((v1 * 8) + ((el % 8) + 2)) - 1;
      let v2_3 = select(0f, bitcast<f32>(x[(i_5 * 21) + i_7]), (u32(i_5) < 30u) && (u32(i_7) < 21u));
      let v11 = v10 + v2_3;
      let v2_4 = select(0f, bitcast<f32>(x[(i_5 * 21) + i_3]), (u32(i_5) < 30u) && (u32(i_3) < 21u));
      let v4 = v2_4 * 4f;
      let v12 = v11 - v4;
      o[(i * 21) + i_1] = bitcast<u32>(v12);
    }
  }
}
