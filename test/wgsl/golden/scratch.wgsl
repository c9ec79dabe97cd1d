@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;
var<workgroup> t5: array<f32, 40>;

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
  var sum: f32;
  var scratch: f32;
  var t3: f32;
  for (var turn: i32 = 0; turn < 3; turn++) {
    // accumulate sum, %2
    if (lane < 40) {
      let el = lane;
      let v1 = ek_load_x((turn * 40) + el);
      sum = ek_f16(sum + v1);
    }
    // scoped
    if (lane < 40) {
      let el = lane;
      scratch = 0f;
    }
    // %3 = load sum
    if (lane < 40) {
      let el = lane;
      let v3 = sum;
      t3 = v3;
    }
    // store scratch, %4
    if (lane < 40) {
      let el = lane;
      scratch = t3;
    }
    // %5 = load scratch
    workgroupBarrier();
    if (lane < 40) {
      let el = lane;
      let v5 = scratch;
      t5[el] = v5;
    }
    // store o, %7
    workgroupBarrier();
    if (lane < 40) {
      let el = lane;
      let v5_1 = t5[((el % 5) * 8) + (el / 5)];
      ek_store_o(el, v5_1);
    }
  }
}
