@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;
var<workgroup> part: array<f32, 64>;
var<workgroup> part_1: array<f32, 8>;

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
  var t5: array<f32, 16>;
  // %2 = reduceMax %1
  var acc: f32 = bitcast<f32>(0xff800000u ^ ek_params.zero);
  for (var el = lane; el < 1000; el += 64) {
    let v1 = bitcast<f32>(x[(program * 1000) + el]);
    acc = ek_max(acc, v1);
  }
  {
    let el = lane;
    part[el] = acc;
  }
  workgroupBarrier();
  if (lane < 8) {
    let el = lane;
    var acc_1: f32 = bitcast<f32>(0xff800000u ^ ek_params.zero);
    for (var k: i32 = 0; k < 8; k++) {
      let part_2 = part[(el * 8) + k];
      acc_1 = ek_max(acc_1, part_2);
    }
    part_1[el] = acc_1;
  }
  var acc_2: f32 = bitcast<f32>(0xff800000u ^ ek_params.zero);
  workgroupBarrier();
  for (var k_1: i32 = 0; k_1 < 8; k_1++) {
    let part_3 = part_1[k_1];
    acc_2 = ek_max(acc_2, part_3);
  }
  // %5 = exp %4
  for (var slot = 0; slot < 16; slot++) {
    let el = slot * 64 + lane;
    if (el >= 1000) { break; }
    let v1_1 = bitcast<f32>(x[(program * 1000) + el]);
    let v4 = v1_1 - acc_2;
    let v5 = ek_exp(v4);
    t5[slot] = v5;
  }
  // %6 = reduceSum %5
  var acc_3: f32 = 0f;
  for (var slot = 0; slot < 16; slot++) {
    let el = slot * 64 + lane;
    if (el >= 1000) { break; }
    acc_3 = acc_3 + t5[slot];
  }
  {
    let el = lane;
    part[el] = acc_3;
  }
  workgroupBarrier();
  if (lane < 8) {
    let el = lane;
    var acc_4: f32 = 0f;
    for (var k_2: i32 = 0; k_2 < 8; k_2++) {
      let part_4 = part[(el * 8) + k_2];
      acc_4 = acc_4 + part_4;
    }
    part_1[el] = acc_4;
  }
  var acc_5: f32 = 0f;
  workgroupBarrier();
  for (var k_3: i32 = 0; k_3 < 8; k_3++) {
    let part_5 = part_1[k_3];
    acc_5 = acc_5 + part_5;
  }
  // store o, %8
  for (var slot = 0; slot < 16; slot++) {
    let el = slot * 64 + lane;
    if (el >= 1000) { break; }
    let v8 = t5[slot] / acc_5;
    o[(program * 1000) + el] = bitcast<u32>(v8);
  }
}
