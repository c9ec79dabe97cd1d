enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> flags: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@group(0) @binding(3) var<storage, read_write> words: array<u32>;
@group(0) @binding(4) var<storage, read_write> lane_: array<u32>;
struct EkParams { base: u32, zero: u32, count: u32, pad: u32 }
@group(0) @binding(5) var<uniform> ek_params: EkParams;
var<workgroup> t13: array<u32, 400>;
var<workgroup> ek_numbered: atomic<u32>;
fn ek_nan() -> f32 { return bitcast<f32>(0x7fc00000u | ek_params.zero); }
fn ek_from_key(k: i32) -> f32 {
  return select(bitcast<f32>(select(k, i32(-2147483648) - k, k < 0i)), ek_nan(), abs(k) > 0x7f800000i || k == i32(-2147483648));
}
fn ek_key(x: f32) -> i32 {
  let b = bitcast<i32>(x);
  return select(b, i32(-2147483648) - b, b < 0i);
}
fn ek_magnitude(x: f32) -> u32 { return bitcast<u32>(x) & 0x7fffffffu; }
fn ek_is_nan(x: f32) -> bool { return ek_magnitude(x) > 0x7f800000u; }
fn ek_subgroup_min(x: f32) -> f32 {
  return ek_from_key(subgroupMin(select(ek_key(x), i32(-2147483648), ek_is_nan(x))));
}

@compute @workgroup_size(64)
fn main(
  @builtin(subgroup_size) ek_subgroup_size: u32,
  @builtin(subgroup_invocation_id) ek_subgroup_lane: u32,
  @builtin(workgroup_id) workgroup_id: vec3u,
  @builtin(num_workgroups) num_workgroups: vec3u
) {
  let group = workgroup_id.x + num_workgroups.x * (workgroup_id.y + num_workgroups.y * workgroup_id.z);
  let id = ek_params.base + group;
  if (id >= ek_params.count) { return; }
  let program = i32(id);
  var first = 0u;
  if (ek_subgroup_lane == 0u) { first = atomicAdd(&ek_numbered, ek_subgroup_size); }
  workgroupBarrier();
  let lane = i32(subgroupBroadcast(first, 0u) + ek_subgroup_lane);
  let subgroup_size = i32(ek_subgroup_size);
  let subgroup_lane = i32(ek_subgroup_lane);
  var t3: array<f32, 2>;
  var t4: array<f32, 2>;
  var t5: array<f32, 2>;
  var t6: array<f32, 2>;
  // %9 = fori 0, %1, %0
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    if (el >= 100) { break; }
    let v0 = bitcast<f32>(x[el]);
    t3[slot] = v0;
  }
  let u = subgroup_size;
  for (var i: i32 = 0; i < u; i++) {
    // %4 = subgroupReduce %3
    for (var slot = 0; slot < 2; slot++) {
      let el = slot * 64 + lane;
      var x_1: f32 = bitcast<f32>(0x7f800000u ^ ek_params.zero);
      if (u32(el) < 100u) {
        x_1 = t3[slot];
      }
      let y = ek_subgroup_min(x_1);
      if (u32(el) < 100u) {
        t4[slot] = y;
      }
    }
    // %5 = subgroupScan %3
    for (var slot = 0; slot < 2; slot++) {
      let el = slot * 64 + lane;
      var x_2: f32 = 0f;
      if (u32(el) < 100u) {
        x_2 = t3[slot];
      }
      let y_1 = subgroupExclusiveAdd(x_2);
      if (u32(el) < 100u) {
        t5[slot] = y_1;
      }
    }
    // %6 = subgroupShuffle %3, %2
    for (var slot = 0; slot < 2; slot++) {
      let el = slot * 64 + lane;
      var x_3: f32 = 0f;
      if (u32(el) < 100u) {
        x_3 = t3[slot];
      }
      let from_ = subgroup_lane ^ i;
      let exists = (bitcast<u32>(from_) < bitcast<u32>(subgroup_size)) && (u32((el - subgroup_lane) + from_) < 100u);
      let y_2 = subgroupShuffle(x_3, u32(select(subgroup_lane, from_, exists)));
      if (u32(el) < 100u) {
        t6[slot] = select(0f, y_2, exists);
      }
    }
    for (var slot = 0; slot < 2; slot++) {
      let el = slot * 64 + lane;
      if (el >= 100) { break; }
      let v7 = t4[slot] + t5[slot];
      let v8 = v7 + t6[slot];
      t3[slot] = v8;
    }
  }
  // %10 = subgroupShuffle %0, 0
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    var x_4: f32 = 0f;
    if (u32(el) < 100u) {
      let v0_1 = bitcast<f32>(x[el]);
      x_4 = v0_1;
    }
    let exists_1 = (bitcast<u32>(bitcast<i32>(0x0u ^ ek_params.zero)) < bitcast<u32>(subgroup_size)) && (u32((el - subgroup_lane) + 0i) < 100u);
    let y_3 = subgroupShuffle(x_4, u32(select(subgroup_lane, 0i, exists_1)));
    if (u32(el) < 100u) {
      t4[slot] = select(0f, y_3, exists_1);
    }
  }
  // store o, %11
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    if (el >= 100) { break; }
    let v11 = t3[slot] + t4[slot];
    o[el] = bitcast<u32>(v11);
  }
  // %13 = subgroupBallot %12
  for (var slot = 0; slot < 2; slot++) {
    let el = slot * 64 + lane;
    var x_5: bool = false;
    if (u32(el) < 100u) {
      let v12 = flags[el] != 0u;
      x_5 = v12;
    }
    let ek_ballot = subgroupBallot(x_5);
    let word = ek_ballot.x;
    let word_1 = ek_ballot.y;
    let word_2 = ek_ballot.z;
    let word_3 = ek_ballot.w;
    if (u32(el) < 100u) {
      t13[el * 4] = word;
      t13[(el * 4) + 1] = word_1;
      t13[(el * 4) + 2] = word_2;
      t13[(el * 4) + 3] = word_3;
    }
  }
  // store words, %13
  workgroupBarrier();
  for (var el = lane; el < 400; el += 64) {
    let v13 = t13[el];
    words[el] = v13;
  }
  // store lane, %14
  for (var el = lane; el < 100; el += 64) {
    lane_[el] = bitcast<u32>(el % subgroup_size);
  }
}
