/** Projects that pull jobs wait for: what they bring, who sent it, and what brings it. */

import { bytesWords } from '../../words.ts'
import { Typed } from './command.tsx'
import { Listing } from './listing.tsx'
import { Ago } from './moment.tsx'

export interface WaitingProject {
  project: string
  jobs: number
  entries: number
  bytes: number
  since: Date
  /** Who ordered, by display name. */
  people: string
  /** Some job is for `ph pull`; the others are for the desktop agent. */
  isByHand: boolean
}

/** Longer lists end in a line that says where the rest is. */
const mostShown = 5

export function Waiting({ waiting, now }: { waiting: readonly WaitingProject[]; now: Date }) {
  return (
    <section>
      <h2 className="apart">Waiting pull jobs</h2>
      <p className="soft">
        Sent to a project, and not pulled yet. Someone who works in the project runs the command in its folder.
      </p>
      <Listing caption="Waiting pull jobs" columns={['Project', 'Brings', 'Sent', 'Pull with']}>
        {waiting.slice(0, mostShown).map(({ project, jobs, entries, bytes, since, people, isByHand }) => (
          <tr key={project}>
            <th scope="row">{project}</th>
            <td>
              <span>
                {entries} {entries === 1 ? 'prop' : 'props'}{' '}
                <span className="under">
                  in {jobs} {jobs === 1 ? 'job' : 'jobs'}, {bytesWords(bytes)}
                </span>
              </span>
            </td>
            <td data-label="Sent">
              <span>
                <Ago date={since} now={now} /> <span className="under">by {people}</span>
              </span>
            </td>
            <td data-label="Pull with">{isByHand ? <PullCommand project={project} /> : 'the desktop agent'}</td>
          </tr>
        ))}
      </Listing>
      {waiting.length > mostShown && (
        <p className="soft">
          And more: <Typed words="ph jobs list --status queued" />
        </p>
      )}
    </section>
  )
}

/** What people paste into a terminal holds no name that a shell would understand as more than a name. */
const PullCommand = ({ project }: { project: string }) => (
  <Typed words={/^[\w.-]+$/.test(project) ? `ph pull --project ${project}` : 'ph pull'} />
)
