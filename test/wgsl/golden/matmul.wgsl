@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;
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
  var sum: array<f32, 4>;
  var t5: array<f32, 4>;
  for (var turn: i32 = 0; turn < 4; turn++) {
    // %0 = programId
    let v0 = program / 2;
    // %3 = programId
    let v3 = program % 2;
    // %5 = dot %2, %4
    for (var slot = 0; slot < 4; slot++) {
      let el = slot * 64 + lane;
      var acc: f32 = 0f;
      for (var k: i32 = 0; k < 16; k++) {
        let i = (v0 * 16) + (el / 16);
        let v2 = select(0f, bitcast<f32>(a[(i * 50) + ((turn * 16) + k)]), (u32(i) < 40u) && (u32((turn * 16) + k) < 50u));
        let i_1 = (v3 * 16) + (el % 16);
        let v4 = select(0f, bitcast<f32>(b[(((turn * 16) + k) * 24) + i_1]), (u32((turn * 16) + k) < 50u) && (u32(i_1) < 24u));
        acc = acc + (v2 * v4);
      }
      t5[slot] = acc;
    }
    // accumulate sum, %5
    for (var slot = 0; slot < 4; slot++) {
      let el = slot * 64 + lane;
      sum[slot] = sum[slot] + t5[slot];
    }
    // %7 = sub 4, 1
    let v7 = bitcast<i32>(0x4u ^ ek_params.zero) - bitcast<i32>(0x1u ^ ek_params.zero);
    // %8 = eq %1, %7
    let v8 = turn == v7;
    // cond %8
    let u = v8;
    if (u) {
      // %6 = load sum
      for (var slot = 0; slot < 4; slot++) {
        let el = slot * 64 + lane;
        let v6 = sum[slot];
        t5[slot] = v6;
      }
      // store c, %6
      for (var slot = 0; slot < 4; slot++) {
        let el = slot * 64 + lane;
        let i_2 = (v0 * 16) + (el / 16);
        let i_3 = (v3 * 16) + (el % 16);
        if ((u32(i_2) < 40u) && (u32(i_3) < 24u)) {
          c[(i_2 * 24) + i_3] = bitcast<u32>(t5[slot]);
        }
      }
    }
  }
}
