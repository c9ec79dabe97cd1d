@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;
var<workgroup> t1: array<f32, 100>;
var<workgroup> t2: array<f32, 100>;

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
  // %1 = inline %0
  for (var el = lane; el < 100; el += 64) {
    let v0 = bitcast<f32>(x[el]);
    let v1 = ek_inline_swish(v0);
    t1[el] = v1;
  }
  // %2 = inline %1
  workgroupBarrier();
  {
    let lanes = 64u;
    let lane = u32(lane);
for (var i = i32(lane); i < 100; i += i32(lanes)) {
  backwards_to_store(i, backwards_from_load(99 - i));
}
  }
  // store o, %2
  workgroupBarrier();
  for (var el = lane; el < 100; el += 64) {
    let v2 = t2[el];
    o[el] = bitcast<u32>(v2);
  }
}
