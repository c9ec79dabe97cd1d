/** The package's own `main` is no module that Node can load; this one has no types of its own. */
declare module "wgsl_reflect/wgsl_reflect.module.js" {
  export {
    ArrayInfo,
    detectRaces,
    MemoryTracker,
    ScalarData,
    TypedData,
    WgslDebug,
    WgslExec,
    WorkgroupScheduler
  } from "wgsl_reflect"
}
