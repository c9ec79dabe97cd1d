@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read> n: array<u32>;
@group(0) @binding(2) var<storage, read_write> steps: array<u32>;
@group(0) @binding(3) var<uniform> ek_params: EkParams;
var<workgroup> t4: array<f32, 100>;
var<workgroup> part: array<f32, 64>;
var<workgroup> part_1: array<f32, 8>;
var<workgroup> part_4: array<f32, 100>;
var<workgroup> ek_uniform_bool: bool;

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
  var t0: array<f32, 2>;
  // %0 = load x
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    if (el >= 100) { break; }
    let v0 = bitcast<f32>(x[el]);
    t0[slot] = v0;
  }
  // %8 = load n
  let v8 = bitcast<i32>(n[0]);
  // %9, %10 = fori 0, %8, %1, %0
  var c3: f32 = 0f;
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    if (el >= 100) { break; }
    t4[el] = t0[slot];
  }
  c3 = 0f;
  let u = v8;
  workgroupBarrier();
  for (var i: i32 = 0; i < u; i++) {
    // %5 = reduceSum %4
    var acc: f32 = 0f;
    for (var el = lane; el < 100; el += 64) {
      let v4 = t4[el];
      acc = acc + v4;
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
    // %6 = add %3, %5
    let v6 = c3 + acc_2;
    for (var el = lane; el < 100; el += 64) {
      let v4_1 = t4[99 - el];
      part_4[el] = v4_1;
    }
    workgroupBarrier();
    for (var el = lane; el < 100; el += 64) {
      t4[el] = part_4[el];
    }
    c3 = v6;
  }
  // %11 = gt %9, 0
  let v11 = ek_lt(0f, c3);
  // cond %11
  if (lane == 0) { ek_uniform_bool = v11; }
  let u_1 = workgroupUniformLoad(&ek_uniform_bool);
  if (u_1) {
    // store x, %10
    for (var el = lane; el < 100; el += 64) {
      let v10 = t4[el];
      x[el] = bitcast<u32>(v10);
    }
  }
  // %20 = while %19
  var c16: i32 = 0;
  c16 = 0;
  loop {
    // %13 = load steps
    let v13 = bitcast<i32>(steps[0]);
    // %15 = lt %12, %14
    let v15 = c16 < v13;
    if (lane == 0) { ek_uniform_bool = v15; }
    let u_2 = workgroupUniformLoad(&ek_uniform_bool);
    if (!u_2) { break; }
    // accumulate x, %17
    for (var el = lane; el < 100; el += 64) {
      x[el] = bitcast<u32>(bitcast<f32>(x[el]) + 1f);
    }
    // %18 = add %16, 1
    let v18 = c16 + 1i;
    c16 = v18;
  }
  // store steps, %21
  storageBarrier();
  if (lane == 0) {
    let el = lane;
    steps[el] = bitcast<u32>(c16);
  }
}
