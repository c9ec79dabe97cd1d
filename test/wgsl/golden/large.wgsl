@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<storage, read_write> ek_spill: array<u32>;
@group(0) @binding(3) var<uniform> ek_params: EkParams;
var<private> ek_share: i32;

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
  ek_share = i32(group) * 16384;
  // %2 = exp %1
  for (var el = lane; el < 16384; el += 64) {
    let v1 = bitcast<f32>(x[(program * 16384) + el]);
    let v2 = ek_exp(v1);
    ek_spill[ek_share + el] = bitcast<u32>(v2);
  }
  // store o, %4
  storageBarrier();
  for (var el = lane; el < 16384; el += 64) {
    let v2_1 = bitcast<f32>(ek_spill[ek_share + el]);
    let v2_2 = bitcast<f32>(ek_spill[ek_share + ((el % 128) * 128) + (el / 128)]);
    let v4 = v2_1 + v2_2;
    o[(program * 16384) + el] = bitcast<u32>(v4);
  }
}
