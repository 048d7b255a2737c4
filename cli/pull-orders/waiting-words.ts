/** Pull jobs that wait for a project, in words: what each brings, who sent it, and what to run. */
import type { WaitingJob } from '../../client/pull/orders/waiting-jobs.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { age, count, number, size } from '../terminal/amounts.ts'
import type { Paint } from '../terminal/output.ts'
import { wrap } from '../terminal/wrap.ts'

/** So many jobs are told one by one. */
const mostJobs = 5

interface WaitingLook {
  paint: Paint
  width: number
  now: Date
}

/** No lines where nothing waits. */
export function waitingWords(jobs: readonly WaitingJob[], project: string, { paint, width, now }: WaitingLook): string[] {
  if (jobs.length === 0) return []
  const name = shellWord(printable(project))
  const shown = jobs.slice(0, mostJobs)
  const hidden = jobs.length - shown.length
  const isByHand = jobs.some(({ delivery }) => delivery === 'manual')
  const advice = isByHand
    ? `ph pull --project ${name}`
    : 'An editor that takes imports by the agent brings them; what others sent, `ph pull` too.'
  const title = `${count(jobs.length, 'pull job')} ${jobs.length === 1 ? 'waits' : 'wait'} for ${printable(project)}:`
  return [
    paint(['yellow', 'bold'], title),
    ...shown.flatMap((job) => wrap(jobWords(job, now), width, '  ')),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (ph jobs list --project ${name} --status queued)`] : []),
    ...wrap(`→ ${advice}`, width, '    ').map((line) => paint('dim', line)),
  ]
}

function jobWords(
  { id, entry_count, object_count, total_bytes, requested_by_name, created_at, delivery, note }: WaitingJob,
  now: Date,
) {
  const what = `${count(entry_count, 'entry', 'entries')}, ${count(object_count, 'file')}, ${size(total_bytes)}`
  const from = requested_by_name === null ? '' : ` from ${printable(requested_by_name)}`
  const agent = delivery === 'agent' ? ', by the desktop agent' : ''
  const why = note ? ` “${printable(note)}”` : ''
  return `job ${id}${from}, ${age(created_at, now)}: ${what}${agent}${why}`
}
