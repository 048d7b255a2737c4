/** What owners and admins look after, on one page: storage, sweeps, the denylist, webhooks. */
import type { DenylistedFiles, StorageFigures } from '../../../contract/admin.ts'
import type { Webhook } from '../../../contract/webhooks.ts'
import { type DenylistRow, DenylistSection, type TypedDenial } from './denylist.tsx'
import { type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page } from './parts/frame.tsx'
import { Notice } from './parts/notice.tsx'
import { StorageSection } from './storage.tsx'
import { type Look, SweepsSection } from './sweeps.tsx'
import { WebhooksSection } from './webhooks.tsx'

interface AdministrationProps {
  frame: Frame
  now: Date
  notice: string | undefined
  problems: readonly Problem[]
  figures: StorageFigures
  denied: DenylistedFiles
  denylist: readonly DenylistRow[]
  typed: TypedDenial
  webhooks: readonly Webhook[]
  looks: readonly Look[]
}

export function AdministrationPage({ frame, now, notice, problems, figures, looks, webhooks, ...listed }: AdministrationProps) {
  return (
    <Page frame={frame} title="Administration" section="administration" hasTrouble={problems.length > 0}>
      <h1>Administration</h1>
      <p className="lead">What {frame.workspace?.name} stores, what can go, what may not be pushed, and who is told.</p>
      <Notice words={notice} />
      <ProblemSummary problems={problems} />
      <StorageSection figures={figures} />
      <SweepsSection frame={frame} looks={looks} now={now} />
      <DenylistSection frame={frame} now={now} problems={problems} {...listed} />
      <WebhooksSection frame={frame} webhooks={webhooks} now={now} />
    </Page>
  )
}
