/** The parts of forms: fields with their label, hint and what is wrong with them; choices; what is wrong with them. */
import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react'

/** What is wrong with one field of a form, or with the form when no field is named. */
export interface Problem {
  field?: string
  message: string
}

/** What is wrong with the form as a whole; what is wrong with a field stands beside it. Takes the focus, so that screen readers say it first. */
export function ProblemSummary({ problems }: { problems: readonly Problem[] }) {
  const whole = problems.filter(({ field }) => field === undefined)
  if (whole.length === 0) return null
  return (
    // biome-ignore lint/a11y/noAutofocus: without a program in the browser this is how it is read out
    <div className="note trouble" role="alert" tabIndex={-1} autoFocus>
      {whole.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

interface FieldProps {
  /** Name and id. */
  name: string
  label: string
  hint?: ReactNode
  problems: readonly Problem[]
  value?: string | undefined
  type?: 'text' | 'email' | 'password'
  className?: string
  autoComplete?: HTMLInputAutoCompleteAttribute
  maxLength?: number
  minLength?: number
  /** Shown, and not to be changed. */
  isFixed?: boolean
  isOptional?: boolean
  /** The first field of a form that is the page's only purpose. */
  isFirst?: boolean
}

export function Field({ name, label, hint, problems, value, type = 'text', isFixed, isOptional, isFirst, ...rest }: FieldProps) {
  const wrong = problems.find(({ field }) => field === name)
  const describedBy = [wrong && `${name}-wrong`, hint && `${name}-hint`].filter(Boolean).join(' ') || undefined
  const isPlain = type !== 'text' || name === 'code'
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      {hint && (
        <p className="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {wrong && (
        <p className="wrong" id={`${name}-wrong`}>
          {wrong.message}
        </p>
      )}
      <input
        id={name}
        name={name}
        type={type}
        defaultValue={value}
        required={!isFixed && !isOptional}
        readOnly={isFixed}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={describedBy}
        {...(isPlain ? { autoCapitalize: 'none', spellCheck: false } : {})}
        // biome-ignore lint/a11y/noAutofocus: what is wrong is read out first; else only where the page is this one form
        autoFocus={hasFocus(name, problems) ?? isFirst}
        {...rest}
      />
    </div>
  )
}

/** The first field that is wrong has the focus, unless the whole form is. */
function hasFocus(name: string, problems: readonly Problem[]): boolean | undefined {
  if (problems.length === 0) return undefined
  return problems.every(({ field }) => field !== undefined) && problems[0]?.field === name
}

interface ChoiceProps {
  name: string
  legend: string
  choices: readonly { value: string; label: string; hint?: string | undefined }[]
  chosen: string | undefined
  problems: readonly Problem[]
}

/** Radio buttons, each with what it means. The first has the name as its id, so that the summary leads to it. */
export function Choice({ name, legend, choices, chosen, problems }: ChoiceProps) {
  const wrong = problems.find(({ field }) => field === name)
  return (
    <fieldset aria-describedby={wrong && `${name}-wrong`}>
      <legend>{legend}</legend>
      {wrong && (
        <p className="wrong" id={`${name}-wrong`}>
          {wrong.message}
        </p>
      )}
      <div className="choices">
        {choices.map(({ value, label, hint }, index) => {
          const id = index === 0 ? name : `${name}-${value}`
          return (
            <label className="choice" key={value}>
              <input
                type="radio"
                id={id}
                name={name}
                value={value}
                defaultChecked={value === chosen}
                required
                // biome-ignore lint/a11y/noAutofocus: only where nothing was chosen, so that it is read out
                autoFocus={index === 0 && hasFocus(name, problems)}
                aria-labelledby={`${id}-label`}
                aria-describedby={hint && `${id}-hint`}
              />
              <span id={`${id}-label`}>{label}</span>
              {hint && (
                <span className="hint" id={`${id}-hint`}>
                  {hint}
                </span>
              )}
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
