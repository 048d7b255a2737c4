/** The two fields of a new password. */
import { Field, type Problem } from './fields.tsx'

/** The hidden name tells password stores whose password this is. */
export function NewPassword({ email, problems }: { email: string; problems: readonly Problem[] }) {
  return (
    <>
      <input type="hidden" name="username" autoComplete="username" value={email} />
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
        label="The same again"
        type="password"
        autoComplete="new-password"
        maxLength={200}
        problems={problems}
      />
    </>
  )
}
