/** Approving a terminal's sign-in: entering its code, looking at who asks, and what came of it. */
import { exactWords, waitWords } from '../words.ts'
import { Choice, Field, type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { Ago } from './parts/moment.tsx'

/** Asks for the code; approves nothing. */
export function DeviceCodePage({ frame, code, problems }: { frame: Frame; code: string; problems: readonly Problem[] }) {
  return (
    <Page frame={frame} title="Sign in a terminal" width="alone" hasTrouble={problems.length > 0}>
      <h1>Sign in a terminal</h1>
      <p className="lead">
        <code>ph login</code> shows a code there. Enter it here to see who asks; nothing is approved yet.
      </p>
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="get" action={frame.at('/device')}>
        <Field
          name="code"
          label="Code"
          hint="Two groups of four letters, such as BCDF-GHJK. Capitals and the dash do not matter."
          className="code"
          value={code}
          autoComplete="off"
          maxLength={40}
          problems={problems}
          isFirst
        />
        <button type="submit" className="button">
          Continue
        </button>
      </form>
    </Page>
  )
}

export interface DeviceRequest {
  /** `BCDF-GHJK` */
  userCode: string
  clientName: string
  scope: 'read' | 'write'
  /** Where it was asked from. */
  address: string
  isSameAddress: boolean
  createdAt: Date
  expiresAt: Date
}

interface DecisionProps {
  frame: Frame
  request: DeviceRequest
  now: Date
  chosen: string | undefined
  problems: readonly Problem[]
}

/** Approve and Deny weigh the same, and neither happens by pressing Enter somewhere. */
export function DeviceDecisionPage({ frame, request, now, chosen, problems }: DecisionProps) {
  return (
    <Page frame={frame} title="A terminal wants to sign in" width="alone" hasTrouble={problems.length > 0}>
      <h1>A terminal wants to sign in as you</h1>
      <p className="lead">Approve it only if you started this yourself, just now, and your terminal shows this same code.</p>
      <ProblemSummary problems={frame.workspaces.length === 1 ? problems.map(({ message }) => ({ message })) : problems} />
      <form className="sheet fields" method="post" action={frame.at('/device')}>
        <Token frame={frame} />
        <input type="hidden" name="code" value={request.userCode} />
        <input type="hidden" name="scope" value={request.scope} />
        {/* Enter in a choice presses the first button of a form: this one, which decides nothing. */}
        <button type="submit" name="decision" value="none" hidden />
        <p>
          <strong className="user-code">
            <span className="unseen">Code: </span>
            {request.userCode}
          </strong>
        </p>
        <RequestFacts frame={frame} request={request} now={now} />
        <WorkspaceChoice frame={frame} chosen={chosen} problems={problems} />
        <div className="actions equal">
          <button type="submit" className="button" name="decision" value="approve">
            Approve
          </button>
          <button type="submit" className="button dark" name="decision" value="deny">
            Deny
          </button>
        </div>
      </form>
    </Page>
  )
}

function RequestFacts({ frame, request, now }: { frame: Frame; request: DeviceRequest; now: Date }) {
  const { clientName, scope, address, isSameAddress, createdAt, expiresAt } = request
  return (
    <dl className="facts">
      <dt>Who asks</dt>
      <dd>
        <strong>{clientName}</strong> <span className="soft">as it calls itself</span>
      </dd>
      <dt>From</dt>
      <dd>
        {address}{' '}
        <span className={isSameAddress ? 'chip' : 'chip warn'}>
          {isSameAddress ? 'your own address' : '⚠ not the address you are at'}
        </span>
      </dd>
      <dt>Since</dt>
      <dd>
        <Ago date={createdAt} now={now} />
        <span className="soft"> · ends in {waitWords((expiresAt.getTime() - now.getTime()) / 1000)}</span>
      </dd>
      <dt>It may then</dt>
      <dd>{scopeWords[scope]}</dd>
      <dt>As</dt>
      <dd>
        {frame.person?.displayName} <span className="soft">({frame.person?.email})</span>
      </dd>
      {frame.workspaces.length === 1 && (
        <>
          <dt>In</dt>
          <dd>{frame.workspaces[0]?.name}</dd>
        </>
      )}
    </dl>
  )
}

const scopeWords = {
  read: 'Read: look at everything, download single files, change nothing.',
  write: 'Read and write: look, pull, push, and change what you may change.',
}

function WorkspaceChoice({ frame, chosen, problems }: Pick<DecisionProps, 'frame' | 'chosen' | 'problems'>) {
  const [only] = frame.workspaces
  if (frame.workspaces.length === 1) return <input type="hidden" name="workspace" value={only?.slug} />
  const choices = frame.workspaces.map(({ slug, name }) => ({ value: slug, label: name, hint: slug }))
  return <Choice name="workspace" legend="In which workspace?" choices={choices} chosen={chosen} problems={problems} />
}

export type DeviceOutcome = 'approved' | 'collected' | 'denied' | 'expired' | 'decided'

interface OutcomeProps {
  frame: Frame
  kind: DeviceOutcome
  clientName: string
  /** The workspace it was let into, for what was approved. */
  workspaceName?: string | undefined
  decidedAt?: Date | undefined
}

/** What became of a code, and what to do in the terminal. */
export function DeviceOutcomePage({ frame, kind, clientName, workspaceName, decidedAt }: OutcomeProps) {
  const { title, words, next } = outcomes[kind]
  return (
    <Page frame={frame} title={title} width="alone">
      <h1>{title}</h1>
      <div className="sheet">
        <p>{words(clientName, workspaceName ?? '')}</p>
        <p>{next}</p>
        {decidedAt && <p className="soft small">Decided {exactWords(decidedAt)}.</p>}
        <p className="actions">
          <a className="button quiet" href={frame.at('/keys')}>
            Your keys
          </a>
        </p>
      </div>
    </Page>
  )
}

const again = 'Run ph login in the terminal once more: it shows a new code.'
const outcomes: Record<DeviceOutcome, { title: string; words: (client: string, workspace: string) => string; next: string }> = {
  approved: {
    title: 'Approved',
    words: (client, workspace) => `${client} may sign in to ${workspace} as you.`,
    next: 'Go back to the terminal: it goes on by itself within a few seconds. You may close this page.',
  },
  collected: {
    title: 'The terminal is signed in',
    words: (client, workspace) =>
      `${client} has its key for ${workspace}. It is listed with your keys, where you can revoke it at any time.`,
    next: 'Go back to the terminal: ph whoami says who you are there. You may close this page.',
  },
  denied: {
    title: 'Denied',
    words: (client) => `${client} was refused, and its code no longer works.`,
    next: 'If it was you after all, run ph login in the terminal once more. If it was not, there is nothing more to do.',
  },
  expired: {
    title: 'This code has expired',
    words: (client) =>
      `${client} asked more than 15 minutes ago, and a code is good for 15 minutes. Nothing was handed out for it.`,
    next: again,
  },
  decided: {
    title: 'This code has been used',
    words: () => 'It was decided already, and a code works once.',
    next: again,
  },
}
