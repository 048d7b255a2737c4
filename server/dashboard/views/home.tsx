/** The overview of a workspace: what is in it, what to do next, what came last. */
import { bytesWords } from '../amounts.ts'
import { type Frame, Page } from './frame.tsx'
import { Ago } from './moment.tsx'
import { Notice } from './notice.tsx'

export interface Overview {
  /** Counted up to a bound, so a number in words: `10,000+`. */
  entryCount: string
  storedBytes: number
  memberCount: number
  /** The person has a key: some terminal is signed in. */
  hasKey: boolean
  newest: readonly NewestEntry[]
  /** Where programs reach the workspace. */
  address: string
}

export interface NewestEntry {
  id: number
  name: string
  entryType: string
  packName: string
  publishedBy: string | null
  pushedAt: Date
}

interface HomeProps {
  frame: Frame
  overview: Overview
  /** What is not as usual with the workspace, in one sentence. */
  trouble: string | undefined
  now: Date
  notice: string | undefined
}

export function HomePage({ frame, overview, trouble, now, notice }: HomeProps) {
  const isEmpty = overview.newest.length === 0
  // What there is comes first for whoever knows how to begin.
  const isBegun = overview.hasKey && !isEmpty
  return (
    <Page frame={frame} title="Overview" place="overview">
      <h1>{frame.workspace?.name}</h1>
      <Notice words={notice} />
      {trouble && (
        <p className="note warn">
          {trouble} <a href={frame.at('/workspace')}>What that means</a>
        </p>
      )}
      <Figures overview={overview} />
      {isBegun && <Newest overview={overview} now={now} />}
      <NextSteps frame={frame} overview={overview} isEmpty={isEmpty} />
      {!isBegun && !isEmpty && <Newest overview={overview} now={now} />}
    </Page>
  )
}

function Figures({ overview }: { overview: Overview }) {
  return (
    <dl className="figures sheet">
      <div>
        <dt>props</dt>
        <dd>{overview.entryCount}</dd>
      </div>
      <div>
        <dt>stored</dt>
        <dd>{bytesWords(overview.storedBytes)}</dd>
      </div>
      <div>
        <dt>{overview.memberCount === 1 ? 'member' : 'members'}</dt>
        <dd>{overview.memberCount}</dd>
      </div>
    </dl>
  )
}

function NextSteps({ frame, overview, isEmpty }: { frame: Frame; overview: Overview; isEmpty: boolean }) {
  const { hasKey, address } = overview
  return (
    <section className="sheet">
      <h2>{hasKey && !isEmpty ? 'In a terminal' : 'What to do next'}</h2>
      <ol className="steps">
        <li className={hasKey ? 'done' : undefined}>
          <h3>Sign in from a terminal</h3>
          <p className="soft">
            It shows a code, and you approve it here. For build machines, <a href={frame.at('/keys')}>make a key</a>.
          </p>
          <code className="command">npx ph login --url {address}</code>
        </li>
        <li className={isEmpty ? undefined : 'done'}>
          <h3>Push a Content folder</h3>
          <p className="soft">Every prop in it gets its place here, with its versions, its pictures and what it needs.</p>
          <code className="command">npx ph push ./Content</code>
        </li>
        <li>
          <h3>Pull a prop into a project</h3>
          <p className="soft">It brings everything that the prop needs.</p>
          <code className="command">npx ph pull {plainName(overview)} --project Tavern</code>
        </li>
      </ol>
    </section>
  )
}

/** What people paste into a terminal holds no name that a shell would understand as more than a name. */
const plainName = ({ newest }: Overview): string => newest.find(({ name }) => /^\w+$/.test(name))?.name ?? 'SM_Barrel'

function Newest({ overview, now }: { overview: Overview; now: Date }) {
  return (
    <section>
      <h2 className="apart">Newest props</h2>
      <table className="table">
        <caption className="unseen">Newest props</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Pack</th>
            <th scope="col">Pushed</th>
          </tr>
        </thead>
        <tbody>
          {overview.newest.map(({ id, name, entryType, packName, publishedBy, pushedAt }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td data-label="Type">{entryType.replaceAll('_', ' ')}</td>
              <td data-label="Pack">{packName}</td>
              <td data-label="Pushed">
                <span>
                  <Ago date={pushedAt} now={now} />
                  {publishedBy && <span className="under">by {publishedBy}</span>}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
