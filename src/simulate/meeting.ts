/** Where all threads of a program instance wait for each other, and see what all have done. */
import type { Eqn } from "../ir/program.ts"
import type { Simulation } from "../ir/simulate.ts"
import { acquireFrom, nothing, release } from "./actors.ts"
import { Ended } from "./ended.ts"
import * as Tell from "./tell.ts"
import type { Thread } from "./world.ts"

export function* meet(thread: Thread, eqn: Eqn): Simulation<void> {
  const { meeting, threads, world } = thread.home
  meeting.stands = [...meeting.stands, { actor: thread, eqn, program: thread.program() }]
  release(thread, meeting.view)
  thread.changes++
  world.version++
  const { held } = meeting
  if (meeting.stands.length === threads.length) {
    if (!meeting.hasDiverged && meeting.stands.some((stand) => stand.eqn !== eqn)) {
      meeting.hasDiverged = true
      Tell.divergence(world, meeting.stands)
    }
    Object.assign(meeting, { stands: [], released: meeting.view, view: nothing(), held: held + 1 })
  }
  const detail = () => {
    const gone = threads.filter((t) => t.isDone).map((t) => t.thread)
    const left = gone.length === 0 ? "" : `; thread ${gone.join(", ")} has ended`
    return `all ${threads.length} threads, of which ${meeting.stands.length} are here${left}`
  }
  while (meeting.held === held) if (yield { ready: () => meeting.held !== held, detail }) throw new Ended()
  acquireFrom(thread, meeting.released)
}
