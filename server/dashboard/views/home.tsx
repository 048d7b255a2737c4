/** The overview of a workspace: what is in it, what to do next, what came last. */

import { commandWord } from '../addresses.ts'
import { bytesWords } from '../words.ts'
import { Command } from './parts/command.tsx'
import { type Frame, Page } from './parts/frame.tsx'
import { Listing } from './parts/listing.tsx'
import { Ago } from './parts/moment.tsx'
import { Notice } from './parts/notice.tsx'
import { Waiting, type WaitingProject } from './parts/waiting.tsx'

export interface Overview {
  /** Counted up to a bound, so a number in words: `10,000+`. */
  entryCount: string
  storedBytes: number
  memberCount: number
  /** What this person has done with ph already. */
  done: Done
  newest: readonly NewestEntry[]
  waiting: readonly WaitingProject[]
  /** Where programs reach the workspace. */
  address: string
}

export interface Done {
  /** Some key of theirs was used. */
  signIn: boolean
  push: boolean
  pull: boolean
}

export interface NewestEntry {
  id: number
  name: string
  entryType: string
  packName: string
  /** Null: it has no place under /Game, so it cannot be pulled. */
  originPath: string | null
  /** Null for packages. */
  sourceExt: string | null
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
  // What there is comes first for people who know how to begin.
  const isBegun = overview.done.signIn && !isEmpty
  return (
    <Page frame={frame} title="Overview" section="overview">
      <h1>{frame.workspace?.name}</h1>
      <Notice words={notice} />
      {trouble && (
        <p className="note warn">
          {trouble} <a href={frame.at('/workspace')}>What that means</a>
        </p>
      )}
      <Figures overview={overview} />
      {overview.waiting.length > 0 && <Waiting waiting={overview.waiting} now={now} />}
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
  const { done, address } = overview
  const look = (isDone: boolean) => (isDone ? 'done' : undefined)
  return (
    <section className="sheet">
      <h2>{done.signIn && !isEmpty ? 'In a terminal' : 'What to do next'}</h2>
      <ol className="steps">
        <li className={look(done.signIn)}>
          <h3>Sign in from a terminal</h3>
          <p className="soft">
            <a href={frame.at('/install')}>Install ph</a> first. This shows a code, and you approve it here. For build machines,{' '}
            <a href={frame.at('/keys')}>make a key</a>.
          </p>
          <Command words={`ph login --url ${commandWord(address)}`} />
        </li>
        <li className={look(done.push)}>
          <h3>Push a Content folder</h3>
          <p className="soft">Its props come to the library, with their versions, pictures and dependencies.</p>
          <Command words="ph push ./Content" />
        </li>
        <li className={look(done.pull)}>
          <Bring newest={overview.newest} />
        </li>
      </ol>
    </section>
  )
}

/** What people paste into a terminal holds no name that a shell would understand as more than a name. */
const isPlain = ({ name }: NewestEntry): boolean => /^\w+$/.test(name)

/** A pull takes only what has a place in a project; where nothing has, the newest is downloaded. */
function Bring({ newest }: Pick<Overview, 'newest'>) {
  const pulled = newest.find((entry) => isPlain(entry) && entry.originPath !== null)
  const downloaded = newest.find((entry) => isPlain(entry) && entry.sourceExt !== null)
  if (!pulled && downloaded)
    return (
      <>
        <h3>Download a prop</h3>
        <p className="soft">Its dependencies come with it, in the folders that it was pushed from.</p>
        <Command words={`ph download ${downloaded.name}.${downloaded.sourceExt} --with-deps`} />
      </>
    )
  return (
    <>
      <h3>Pull a prop into a project</h3>
      <p className="soft">Its dependencies come with it.</p>
      <Command words={`ph pull ${pulled?.name ?? 'SM_Barrel'} --project Tavern`} />
    </>
  )
}

function Newest({ overview, now }: { overview: Overview; now: Date }) {
  return (
    <section>
      <h2 className="apart">Newest props</h2>
      <Listing caption="Newest props" columns={['Name', 'Type', 'Pack', 'Pushed']}>
        {overview.newest.map(({ id, name, entryType, packName, publishedBy, pushedAt }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td>{entryType.replaceAll('_', ' ')}</td>
            <td>{packName}</td>
            <td data-label="Pushed">
              <span>
                <Ago date={pushedAt} now={now} /> {publishedBy && <span className="under">by {publishedBy}</span>}
              </span>
            </td>
          </tr>
        ))}
      </Listing>
    </section>
  )
}
