/** A link to hand over: the only time that anybody sees it. */
import { type Frame, Page } from './frame.tsx'

interface LinkMadeProps {
  frame: Frame
  displayName: string
  link: string
  /** To join the workspace, or else to choose a new password. */
  isInvitation: boolean
}

export function LinkMadePage({ frame, displayName, link, isInvitation }: LinkMadeProps) {
  return (
    <Page frame={frame} title="A link to hand over" section="members" width="alone">
      <h1>{isInvitation ? `${displayName} is invited` : `A link for ${displayName}`}</h1>
      <div className="sheet">
        <p>
          <strong>Copy this link now and hand it to {displayName}: it is shown this once.</strong>
        </p>
        <code className="secret">{link}</code>
        <p className="soft">
          {isInvitation
            ? 'They belong here once they accept with it, within seven days. Anyone who has the link may try: hand it to them alone, where nobody else reads along.'
            : 'It lets anyone who opens it choose the password, once, within seven days. Hand it over where nobody else reads along.'}
        </p>
        <p className="actions">
          <a className="button" href={frame.at('/members')}>
            I have copied it
          </a>
        </p>
      </div>
    </Page>
  )
}
