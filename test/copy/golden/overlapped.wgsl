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
  var row: f32;
  var t0: f32;
  // %0 = copyStart x
  {
    let el = lane;
    t0 = bitcast<f32>(x[el + 64]);
  }
  // store o, %2
  {
    let el = lane;
    let v1 = bitcast<f32>(x[el]);
    let v2 = ek_exp(v1);
    o[el] = bitcast<u32>(v2);
  }
  // copyWait row, %0
  {
    let el = lane;
    row = t0;
  }
  // %3 = load row
  {
    let el = lane;
    let v3 = row;
    t3[el] = v3;
  }
  // accumulate o, %4
  workgroupBarrier();
  {
    let el = lane;
    let v3_1 = t3[63 - el];
    o[el] = bitcast<u32>(bitcast<f32>(o[el]) + v3_1);
  }
}
