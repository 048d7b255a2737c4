/** The frame around every page: head, the bar with sections and menus, one main part. */
import type { ReactNode } from 'react'
import { Mark } from './mark.tsx'

export type Section = 'overview' | 'keys' | 'members' | 'workspace' | 'administration' | 'account'

/** What all pages of one visit show; everything else is a page's own. */
export interface Frame {
  /** Gives the address of a page, such as `/keys`, in the workspace of this visit. */
  at: (page: string) => string
  /** The address of a page in another workspace. */
  atWorkspace: (slug: string, page: string) => string
  /** The address of a path that names its workspace itself. */
  whole: (path: string) => string
  stylesheet: string
  /** For the hidden field of every form. */
  csrfToken: string
  person?: { displayName: string; email: string } | undefined
  workspace?: { slug: string; name: string } | undefined
  /** An owner or admin of it. */
  isAdmin?: boolean
  /** Those the person belongs to. */
  workspaces: readonly { slug: string; name: string }[]
}

interface PageProps {
  frame: Frame
  title: string
  /** Where in the bar this page stands. */
  section?: Section
  /** `alone` for a page with one form or purpose, `gate` for what is there before signing in. */
  width?: 'wide' | 'alone' | 'gate'
  /** Said first to the one who hears the title only. */
  hasTrouble?: boolean
  children: ReactNode
}

export function Page({ frame, title, section, width = 'wide', hasTrouble = false, children }: PageProps) {
  const names = [hasTrouble ? `Not yet: ${title}` : title, ...(frame.person && frame.workspace ? [frame.workspace.name] : [])]
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>{[...names, 'Prop House'].join(' · ')}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <link rel="stylesheet" href={frame.stylesheet} />
        <link rel="icon" type="image/svg+xml" href={frame.at('/mark.svg')} />
      </head>
      <body>
        <a className="unseen skip" href="#main">
          Skip to the content
        </a>
        {frame.person ? <Bar frame={frame} section={section} /> : width === 'wide' && <Brand frame={frame} />}
        <main id="main" className={width} tabIndex={-1}>
          {width === 'gate' && <Mark />}
          {children}
        </main>
      </body>
    </html>
  )
}

/** The bar of a page that is for everyone, where nobody has signed in. */
const Brand = ({ frame }: { frame: Frame }) => (
  <header className="bar">
    <Home frame={frame} />
  </header>
)

const Home = ({ frame }: { frame: Frame }) => (
  <a className="brand" href={frame.at('/')}>
    <Mark />
    <span>Prop House</span>
  </a>
)

function Bar({ frame, section }: { frame: Frame; section: Section | undefined }) {
  return (
    <header className={frame.workspaces.length > 1 ? 'bar crowded' : 'bar'}>
      <Home frame={frame} />
      <Sections frame={frame} section={section} />
      <div className="menus">
        {frame.workspaces.length > 1 && <WorkspaceMenu frame={frame} />}
        <PersonMenu frame={frame} section={section} />
      </div>
    </header>
  )
}

const sections = [
  ['overview', '/', 'Overview'],
  ['keys', '/keys', 'Keys'],
  ['members', '/members', 'Members'],
  ['workspace', '/workspace', 'Workspace'],
] as const

function Sections({ frame, section }: { frame: Frame; section: Section | undefined }) {
  if (!frame.workspace) return <div className="sections" />
  return (
    <nav className="sections" aria-label="Pages">
      <ul>
        {sections.map(([name, page, words]) => (
          <li key={name}>
            <a href={frame.at(page)} aria-current={name === section ? 'page' : undefined}>
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function WorkspaceMenu({ frame }: { frame: Frame }) {
  const current = frame.workspace
  return (
    <details className="menu">
      <summary>
        <span className="unseen">Workspace: </span>
        <span className="name">{current?.name ?? 'Workspaces'}</span>
      </summary>
      <nav className="panel" aria-label="Workspaces">
        <ul>
          {frame.workspaces.map(({ slug, name }) => (
            <li key={slug}>
              <a href={frame.atWorkspace(slug, '/')} aria-current={slug === current?.slug ? 'true' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  )
}

function PersonMenu({ frame, section }: { frame: Frame; section: Section | undefined }) {
  return (
    <details className="menu">
      <summary>
        <span className="unseen">Signed in as </span>
        <span className="name">{frame.person?.displayName}</span>
      </summary>
      <div className="panel">
        <p className="soft small">{frame.person?.email}</p>
        {frame.isAdmin && (
          <a href={frame.at('/administration')} aria-current={section === 'administration' ? 'page' : undefined}>
            Administration
          </a>
        )}
        <a href={frame.at('/account')} aria-current={section === 'account' ? 'page' : undefined}>
          Account
        </a>
        <form method="post" action={frame.at('/sign-out')}>
          <Token frame={frame} />
          <button type="submit">Sign out</button>
        </form>
      </div>
    </details>
  )
}

/** Shows that a form was sent from a page of ours. */
export function Token({ frame }: { frame: Frame }) {
  return <input type="hidden" name="csrf_token" value={frame.csrfToken} />
}
