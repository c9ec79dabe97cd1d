@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;
var<workgroup> t4: array<i32, 128>;
var<workgroup> part: array<i32, 64>;
var<workgroup> part_1: array<i32, 8>;

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
  var before: i32;
  for (var turn: i32 = 0; turn < 3; turn++) {
    // %1 = eq %0, 0
    let v1 = turn == 0i;
    // cond %1
    let u = v1;
    if (u) {
      // store before, 0
      before = 0;
    }
    // %3 = load before
    let v3 = before;
    // %4 = cumsum %2
    if (lane == 0) {
      let el = lane;
      var acc: i32 = 0;
      for (var k: i32 = 0; k < 128; k++) {
        let v2 = select(0i, bitcast<i32>(x[(turn * 128) + k]), u32((turn * 128) + k) < 300u);
        acc = acc + v2;
        t4[k] = acc;
      }
    }
    // store o, %5
    workgroupBarrier();
    for (var el = lane; el < 128; el += 64) {
      if (u32((turn * 128) + el) < 300u) {
        let v4 = t4[el];
        let v5 = v4 + v3;
        o[(turn * 128) + el] = bitcast<u32>(v5);
      }
    }
    // %6 = reduceSum %2
    var acc_1: i32 = 0;
    for (var el = lane; el < 128; el += 64) {
      let v2_1 = select(0i, bitcast<i32>(x[(turn * 128) + el]), u32((turn * 128) + el) < 300u);
      acc_1 = acc_1 + v2_1;
    }
    {
      let el = lane;
      part[el] = acc_1;
    }
    workgroupBarrier();
    if (lane < 8) {
      let el = lane;
      var acc_2: i32 = 0;
      for (var k_1: i32 = 0; k_1 < 8; k_1++) {
        let part_2 = part[(el * 8) + k_1];
        acc_2 = acc_2 + part_2;
      }
      part_1[el] = acc_2;
    }
    var acc_3: i32 = 0;
    workgroupBarrier();
    for (var k_2: i32 = 0; k_2 < 8; k_2++) {
      let part_3 = part_1[k_2];
      acc_3 = acc_3 + part_3;
    }
    // %7 = add %3, %6
    let v7 = v3 + acc_3;
    // store before, %7
    before = v7;
  }
}
