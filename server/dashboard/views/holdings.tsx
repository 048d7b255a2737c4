/** What a member has in their hands, where they are disabled: named, with the choice to give their check-outs back. */
import { Choice } from './parts/fields.tsx'

/** As they are shown: the names of some check-outs, and how many of each thing. */
export interface HeldRow {
  checkOuts: number
  shown: readonly { name: string; until: string }[]
  toAnswer: number
  requested: number
  jobs: number
}

export function HeldList({ held: { checkOuts, shown, toAnswer, requested, jobs } }: { held: HeldRow }) {
  return (
    <ul className="held">
      {shown.map(({ name, until }) => (
        <li key={`${name} ${until}`}>
          <div>{name}</div>
          <div className="soft small">
            checked out until <span className="unbroken">{until}</span>
          </div>
        </li>
      ))}
      {checkOuts > shown.length && <li>and {checkOuts - shown.length} more check-outs</li>}
      {toAnswer > 0 && (
        <li>{amount(toAnswer, 'open review waits', 'open reviews wait')} for their answer: ask someone else in</li>
      )}
      {requested > 0 && <li>{amount(requested, 'open review', 'open reviews')} that they asked for: cancel or change those</li>}
      {jobs > 0 && <li>{amount(jobs, 'pull job', 'pull jobs')} under way, which go back to the queue by themselves</li>}
    </ul>
  )
}

const amount = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** With the form that disables. */
export function ReleaseChoice() {
  const choices = [
    { value: 'release', label: 'Release what they have checked out', hint: 'Others can push new versions of it at once.' },
    { value: 'keep', label: 'Leave it checked out', hint: 'Nobody else can push a version of it until its time is over.' },
  ]
  return <Choice name="check_outs" legend="Their check-outs" choices={choices} chosen="release" problems={[]} />
}
