/** The fields around a password: whose it is, the current one, and a new one. */
import { Field, type Problem } from './fields.tsx'

/** Before the first password of a form, it tells people and their password stores whose it is. */
export function OwnEmail({ email }: { email: string }) {
  return <Field name="username" label="E-mail address" type="email" autoComplete="username" value={email} isFixed problems={[]} />
}

/** The password that the account has. */
export function CurrentPassword({ problems }: { problems: readonly Problem[] }) {
  return (
    <Field
      name="password"
      label="Current password"
      type="password"
      autoComplete="current-password"
      maxLength={200}
      problems={problems}
    />
  )
}

/** Typed twice, because nobody sees it. */
export function NewPassword({ problems }: { problems: readonly Problem[] }) {
  return (
    <>
      <Field
        name="new_password"
        label="New password"
        hint="At least 8 characters. Several words make a good one."
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={200}
        problems={problems}
      />
      <Field
        name="repeated"
        label="Repeat password"
        type="password"
        autoComplete="new-password"
        maxLength={200}
        problems={problems}
      />
    </>
  )
}
