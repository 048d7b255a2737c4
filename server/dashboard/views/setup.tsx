/** The first page that anybody sees: it makes the workspace and its owner. */
import { Field, type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'

export interface SetupForm {
  setup_code: string
  workspace_name: string
  slug: string
  email: string
  display_name: string
  name: string
}

export function SetupPage({ frame, form, problems }: { frame: Frame; form: SetupForm; problems: readonly Problem[] }) {
  return (
    <Page frame={frame} title="Set up this server" width="gate" hasTrouble={problems.length > 0}>
      <h1>Welcome to Prop House</h1>
      <p className="lead">This server is new. Give it a workspace and its owner: that takes a minute, once.</p>
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="post" action={frame.at('/setup')}>
        <Token frame={frame} />
        <SetupCode form={form} problems={problems} />
        <h2>The workspace</h2>
        <Field
          name="workspace_name"
          label="Name"
          hint="What people call it: a studio, a team, a project."
          value={form.workspace_name}
          autoComplete="organization"
          maxLength={120}
          problems={problems}
        />
        <Field
          name="slug"
          label="Short name for addresses"
          hint="Small letters, digits and dashes, such as studio-oak. It cannot be changed later."
          value={form.slug}
          autoComplete="off"
          maxLength={63}
          problems={problems}
        />
        <h2>You, its owner</h2>
        <OwnerFields form={form} problems={problems} />
        <button type="submit" className="button">
          Make the workspace
        </button>
      </form>
    </Page>
  )
}

/** Comes with the address that the server printed; typed where someone opened /setup without it. */
function SetupCode({ form, problems }: { form: SetupForm; problems: readonly Problem[] }) {
  const isWrong = problems.some(({ field }) => field === 'setup_code')
  if (form.setup_code && !isWrong) return <input type="hidden" name="setup_code" value={form.setup_code} />
  return (
    <Field
      name="setup_code"
      label="Setup code"
      hint="The end of the address that the server printed when it started, behind “code=”."
      value={form.setup_code}
      autoComplete="off"
      maxLength={200}
      problems={problems}
    />
  )
}

function OwnerFields({ form, problems }: { form: SetupForm; problems: readonly Problem[] }) {
  return (
    <>
      <Field
        name="display_name"
        label="Your name"
        value={form.display_name}
        autoComplete="name"
        maxLength={120}
        problems={problems}
      />
      <Field
        name="name"
        label="Short name"
        hint="One word that others write as @name."
        value={form.name}
        autoComplete="nickname"
        maxLength={80}
        problems={problems}
      />
      <Field
        name="email"
        label="E-mail address"
        hint="You sign in with it. Nothing is sent to it."
        type="email"
        value={form.email}
        autoComplete="username"
        maxLength={200}
        problems={problems}
      />
      <Field
        name="password"
        label="Password"
        hint="At least 8 characters. Several words make a good one."
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={200}
        problems={problems}
      />
    </>
  )
}

/** What /setup says once a workspace is there. */
export function SetupDonePage({ frame }: { frame: Frame }) {
  return (
    <Page frame={frame} title="Set up already" width="gate">
      <h1>This server is set up already</h1>
      <p className="lead">It has a workspace and an owner. Its members sign in; an owner or admin adds others.</p>
      <p className="sheet actions">
        <a className="button" href={frame.at('/sign-in')}>
          Sign in
        </a>
      </p>
    </Page>
  )
}
