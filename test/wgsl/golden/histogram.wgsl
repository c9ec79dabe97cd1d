@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<i32>>;
@group(0) @binding(2) var<uniform> ek_params: EkParams;

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
  // %2 = mul %0, 64
  let v2 = program * 64i;
  // accumulate counts, 1, %5
  {
    let el = lane;
    let v1 = select(0i, bitcast<i32>(x[(program * 64) + el]), u32((program * 64) + el) < 700u);
    let v4 = el + v2;
    let v5 = v4 < 700i;
    if ((u32(v1) < 16u) && v5) {
      ek_add_counts_i32(v1, 1);
    }
  }
}
