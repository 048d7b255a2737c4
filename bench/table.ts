/** What was measured, as one markdown table: medians of the rounds, and ph's time as a ratio to every other tool's of the same round. */
import type { Sample } from './processes.ts'

export interface Row {
  job: string
  contender: string
  samples: Sample[]
}

/** Rows by job and contender, in the order in which they were first seen. */
export class Results {
  readonly rows: Row[] = []

  add(job: string, contender: string, sample: Sample): void {
    const row = this.rows.find((known) => known.job === job && known.contender === contender)
    if (row) row.samples.push(sample)
    else this.rows.push({ job, contender, samples: [sample] })
    process.stderr.write(`${job}, ${contender}: ${sample.wallS.toFixed(3)} s\n`)
  }

  markdown(): string {
    const jobs = [...new Set(this.rows.map(({ job }) => job))]
    const head = [
      'job',
      'tool',
      'wall s, median (min–max)',
      'ph ÷ it',
      'ph on PostgreSQL ÷ it',
      'CPU s',
      'peak MiB',
      'server CPU s',
      'server MiB',
    ]
    const body = jobs.flatMap((job) => {
      const rows = this.rows.filter((row) => row.job === job)
      return rows.map((row) => line(row, rows))
    })
    return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  }
}

/** One row's cells; `rows` are all of its job, the first named for `ph` and the one on PostgreSQL being ours. */
function line(row: Row, rows: readonly Row[]): string[] {
  const walls = row.samples.map(({ wallS }) => wallS)
  const ratioTo = (ours: Row | undefined): string => {
    const pairs = walls.flatMap((wall, round) => (ours?.samples[round] ? [ours.samples[round].wallS / wall] : []))
    return pairs.length === 0 || ours === row ? '' : median(pairs).toFixed(2)
  }
  const first = rows.find(({ contender }) => contender.startsWith('ph'))
  const postgres = rows.find(({ contender }) => contender.startsWith('ph') && contender.endsWith('PostgreSQL'))
  const wall = `${seconds(median(walls))} (${seconds(Math.min(...walls))}–${seconds(Math.max(...walls))})`
  const of = (key: keyof Sample, digits: number): string => {
    const values = row.samples.map((sample) => sample[key]).filter((value) => value !== undefined)
    return values.length === 0 ? '' : median(values).toFixed(digits)
  }
  const usage = [of('cpuS', 2), of('peakMiB', 0), of('serverCpuS', 2), of('serverPeakMiB', 0)]
  return [row.job, row.contender, wall, ratioTo(first), ratioTo(postgres), ...usage]
}

const seconds = (value: number): string => value.toFixed(value < 1 ? 3 : 2)

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
