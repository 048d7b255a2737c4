/** The page that stands where another cannot: nothing there, not allowed, too fast, our fault. */
import { type Frame, Page } from './parts/frame.tsx'

export interface FailurePageProps {
  frame: Frame
  title: string
  /** What happened, in one sentence. */
  message: string
  /** What to do next, when that is not simply going back. */
  next?: string | undefined
  link: { page: string; words: string }
}

export function FailurePage({ frame, title, message, next, link }: FailurePageProps) {
  return (
    <Page frame={frame} title={title} width="gate">
      <h1>{title}</h1>
      <div className="sheet">
        <p>{message}</p>
        {next && <p className="soft">{next}</p>}
        <p className="actions">
          <a className="button" href={frame.at(link.page)}>
            {link.words}
          </a>
        </p>
      </div>
    </Page>
  )
}
