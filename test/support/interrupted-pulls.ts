/** One pull after the other that is interrupted up to three times, with what it came to. Deaths are chosen by a seed. */
import type { ClientDeath, ClientSteps, Ending } from './client-death.ts'
import { type ProcessDeath, PullingProject } from './pulling-project.ts'
import type { Target } from './unreal-project.ts'

export interface Figures {
  runs: number
  /** Runs of a process that ended before it was done, by how. */
  kills: number
  interrupts: number
  cuts: number
  /** Of these, those of a run that had taken up another one. */
  again: number
  /** By what was about to happen. */
  disk: number
  place: number
  wire: number
  /** Runs on a disk that knows no hard links. */
  linkless: number
  /** Files that were saved by someone between two runs; edits that a push made versions of in the end. */
  edits: number
  versions: number
  faults: string[]
}

const mostDeaths = 3
/** So many runs that were interrupted are followed by another one that is. */
const oneMoreOf = 0.8
/** The first one mostly ends while files are placed, the next ones wherever they are. */
const firstKinds = ['place', 'place', 'place', 'disk', 'wire'] as const
const nextKinds = ['disk', 'disk', 'place', 'wire'] as const
const endings: readonly Ending[] = ['kill', 'kill', 'kill', 'kill', 'interrupt']
/** Ends of the wire are mostly those of the network. */
const wireEndings: readonly Ending[] = ['cut', 'cut', 'kill']

export class InterruptedPulls {
  readonly figures: Figures = {
    runs: 0,
    kills: 0,
    interrupts: 0,
    cuts: 0,
    again: 0,
    disk: 0,
    place: 0,
    wire: 0,
    linkless: 0,
    edits: 0,
    versions: 0,
    faults: [],
  }
  #taken = 0

  /** Faults since they were asked for last. */
  takeFaults(): string[] {
    const faults = this.figures.faults.slice(this.#taken)
    this.#taken = this.figures.faults.length
    return faults
  }

  /** A project is pulled into, both sides go on, and the next pull is interrupted. What is wrong then is among the faults. */
  async run(library: Target, seed: string, random: () => number): Promise<void> {
    const linkless = random() < 0.3
    this.figures.runs++
    if (linkless) this.figures.linkless++
    const story: string[] = [linkless ? 'without links' : 'with links']
    try {
      await this.#interrupt(await PullingProject.begin(library, seed, { linkless }), random, story)
    } catch (error) {
      this.figures.faults.push(`${seed}: ${story.join('; ')}; ${error instanceof Error ? error.message : error}`)
    }
  }

  async #interrupt(project: PullingProject, random: () => number, story: string[]): Promise<void> {
    await project.grow()
    const { report, steps } = await project.pullApart()
    await project.requireDone(report)
    await project.grow()
    for (let deaths = 0; deaths < mostDeaths && (deaths === 0 || random() < oneMoreOf); deaths++) {
      const ending = await this.#die(project, chooseDeath(steps, deaths === 0, random), story)
      if ('report' in ending) return this.#end(project, ending.report)
      if (deaths > 0) this.figures.again++
      project.requireUnharmed()
      await project.requireMemory()
      if (random() < 0.5) this.figures.edits += await project.editMeanwhile()
    }
    await this.#end(project, (await project.pullApart()).report)
  }

  async #die(project: PullingProject, death: ClientDeath, story: string[]): Promise<ProcessDeath> {
    const ending = await project.pullAndDie(death)
    story.push(
      `${death.how} at ${death.kind} ${death.step}: ${JSON.stringify('died' in ending ? ending.died : ending)}`.slice(0, 200),
    )
    if ('report' in ending) return ending
    this.figures[death.kind]++
    this.figures[death.how === 'kill' ? 'kills' : death.how === 'cut' ? 'cuts' : 'interrupts']++
    return ending
  }

  async #end(project: PullingProject, report: Parameters<PullingProject['requireDone']>[0]): Promise<void> {
    await project.requireDone(report)
    this.figures.versions += await project.requireHonestPush()
  }
}

function chooseDeath(steps: ClientSteps, isFirst: boolean, random: () => number): ClientDeath {
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const kind = oneOf(isFirst ? firstKinds : nextKinds)
  const how = oneOf(kind === 'wire' ? wireEndings : endings)
  return { kind, step: 1 + Math.floor(random() * steps[kind]), how }
}
