@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;
var<workgroup> t16: array<f32, 100>;

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
  // %3 = mul %1, 8
  let v3 = v1 * 8i;
  // %4 = sub %3, 1
  let v4 = v3 - 1i;
  // %10 = mul %0, 8
  let v10 = v0 * 8i;
  // %11 = sub %10, 1
  let v11 = v10 - 1i;
  // %16 = select %15, %9, 0
  for (var el = lane; el < 100; el += 64) {
    let v13 = (el / 10) + v11;
    let v14 = bitcast<u32>(v13);
    let v15 = v14 < 30u;
    let v6 = (el % 10) + v4;
    let v7 = bitcast<u32>(v6);
    let v8 = v7 < 21u;
    let i = ((v0 * 8) + (el / 10)) - 1;
    let i_1 = ((v1 * 8) + (el % 10)) - 1;
    let v2 = select(0f, bitcast<f32>(x[(i * 21) + i_1]), (u32(i) < 30u) && (u32(i_1) < 21u));
    let v9 = select(0f, v2, v8);
    let v16 = select(0f, v9, v15);
    t16[el] = v16;
  }
  // store o, %26
  workgroupBarrier();
  {
    let el = lane;
    let i_2 = (v0 * 8) + (el / 8);
    let i_3 = (v1 * 8) + (el % 8);
    if ((u32(i_2) < 30u) && (u32(i_3) < 21u)) {
      let v16_1 = t16[((el / 8) * 10) + ((el % 8) + 1)];
      let v16_2 = t16[(((el / 8) + 2) * 10) + ((el % 8) + 1)];
      let v23 = v16_1 + v16_2;
      let v16_3 = t16[(((el / 8) + 1) * 10) + (el % 8)];
      let v24 = v23 + v16_3;
      let v16_4 = t16[(((el / 8) + 1) * 10) + ((el % 8) + 2)];
      let v25 = v24 + v16_4;
      let v16_5 = t16[(((el / 8) + 1) * 10) + ((el % 8) + 1)];
      let v18 = v16_5 * 4f;
      let v26 = v25 - v18;
      o[(i_2 * 21) + i_3] = bitcast<u32>(v26);
    }
  }
}
