@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> gain: array<u32>;
@group(0) @binding(2) var<storage, read> bias: array<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<u32>;
@group(0) @binding(4) var<uniform> ek_params: EkParams;
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
  // %4 = reduceSum %1
  var acc: f32 = 0f;
  for (var el = lane; el < 100; el += 64) {
    let v1 = bitcast<f32>(x[(program * 100) + el]);
    acc = acc + v1;
  }
  {
    let el = lane;
    part[el] = acc;
  }
  workgroupBarrier();
  if (lane < 8) {
    let el = lane;
    var acc_1: f32 = 0f;
    for (var k: i32 = 0; k < 8; k++) {
      let part_2 = part[(el * 8) + k];
      acc_1 = acc_1 + part_2;
    }
    part_1[el] = acc_1;
  }
  var acc_2: f32 = 0f;
  workgroupBarrier();
  for (var k_1: i32 = 0; k_1 < 8; k_1++) {
    let part_3 = part_1[k_1];
    acc_2 = acc_2 + part_3;
  }
  // %5 = div %4, 100
  let v5 = acc_2 / bitcast<f32>(0x42c80000u ^ ek_params.zero);
  // %8 = reduceSum %7
  var acc_3: f32 = 0f;
  for (var el = lane; el < 100; el += 64) {
    let v1_1 = bitcast<f32>(x[(program * 100) + el]);
    let v6 = v1_1 - v5;
    let v7 = v6 * v6;
    acc_3 = acc_3 + v7;
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
  // %9 = div %8, 100
  let v9 = acc_5 / bitcast<f32>(0x42c80000u ^ ek_params.zero);
  // %10 = add %9, 0.000009999999747378752
  let v10 = v9 + 0.000009999999747378752f;
  // %11 = rsqrt %10
  let v11 = ek_rsqrt(v10);
  // store o, %14
  for (var el = lane; el < 100; el += 64) {
    let v1_2 = bitcast<f32>(x[(program * 100) + el]);
    let v6_1 = v1_2 - v5;
    let v12 = v6_1 * v11;
    let v2 = bitcast<f32>(gain[el]);
    let v13 = v12 * v2;
    let v3 = bitcast<f32>(bias[el]);
    let v14 = v13 + v3;
    o[(program * 100) + el] = bitcast<u32>(v14);
  }
}
