@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;
@group(0) @binding(3) var<uniform> ek_params: EkParams;

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
  var t2: f32;
  // %2 = load y
  {
    let el = lane;
    let v2 = select(0f, bitcast<f32>(y[(program * 64) + el]), u32((program * 64) + el) < 1000u);
    t2 = v2;
  }
  // %3 = load a
  let v3 = bitcast<f32>(a[0]);
  // store y, %5
  {
    let el = lane;
    if (u32((program * 64) + el) < 1000u) {
      let v1 = select(0f, bitcast<f32>(x[(program * 64) + el]), u32((program * 64) + el) < 1000u);
      let v4 = v1 * v3;
      let v5 = v4 + t2;
      y[(program * 64) + el] = bitcast<u32>(v5);
    }
  }
}
