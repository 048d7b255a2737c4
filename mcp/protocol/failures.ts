/**
 * Failures as an assistant is told of them: of a tool in its answer, of all else as errors of the protocol. Messages and details of errors hold
 * names, notes and paths: outside of the fence stand the code, what it means and what to do next, as the tables of this program say them.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ApiError, type ErrorCode, errors } from '../../contract/errors.ts'
import { fitted } from '../tools/fitted.ts'
import { ToolRefusal } from '../tools/refusal.ts'
import { codeOf, fenced, fixed, joined, own, type Said } from '../tools/said.ts'
import type { Fields } from '../tools/tool.ts'
import type { Reached } from './assistant.ts'
import { textBlock } from './text-block.ts'

/** Characters of the data of a failure, and of what a program reads of it. */
const failureChars = 8000
/** Rows of a list in the details: what is wrong with the first tells what is wrong. */
const mostRows = 20

/** What a failure says, and what it is about. */
interface Understood {
  words: Said
  next: Said | undefined
  about: Fields
  /** For programs: nothing of it is told to the assistant. */
  error: Fields
}

/** `also`: what else is to be known before the call is repeated. */
export function failureOf(reached: Reached, error: unknown, also?: Said) {
  const { words, next, about, error: meta } = understood(error, reached)
  const told = [withData(words, about), ...(next ? [own`Next: ${next}`] : []), ...(also ? [also] : []), ...reached.notices()]
  return {
    isError: true,
    content: told.map(textBlock),
    _meta: { ...reached.meta(), 'prop-house/error': fitted(meta, failureChars).value },
  }
}

/** Of what is no tool. What is not there is a wrong argument (protocol, "Resource Not Found"). */
export function protocolErrorOf(error: unknown): unknown {
  if (error instanceof ProtocolError) return error
  const { words, about } = understood(error)
  const isAskers = error instanceof ApiError && error.status < 500
  const told = withData(words, about)
  return new ProtocolError(isAskers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, told.text)
}

/** `about`: what people wrote of it. */
export const wrongArgument = (words: Said, about?: Fields): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, (about ? joined([words, fenced(about)], '\n') : words).text)

function withData(words: Said, about: Fields): Said {
  if (Object.keys(about).length === 0) return words
  return joined([words, fenced(fitted(about, failureChars).value)], '\n')
}

function understood(error: unknown, reached?: Reached): Understood {
  if (error instanceof ToolRefusal) return ofRefusal(error)
  if (error instanceof ApiError) return ofLibrary(error)
  return ofMachine(error, reached)
}

function ofRefusal({ code, said, more }: ToolRefusal): Understood {
  const { about = {}, errors: failures } = more
  const next = more.next ?? (isOfLibrary(code) ? fixed(errors[code][3]) : undefined)
  const details = failures ? { ...about, errors: failures } : about
  const meta = { code, message: said.text, details, ...(next ? { next: next.text } : {}) }
  return { words: own`${fixed(code)}: ${said}`, next, about, error: meta }
}

function ofLibrary({ code: given, message, details }: ApiError): Understood {
  const code = isOfLibrary(given) ? given : 'INTERNAL'
  const [, , sentence, next] = errors[code]
  const few = Object.entries(details).map(([key, value]) => [key, Array.isArray(value) ? value.slice(0, mostRows) : value])
  const about = {
    ...(message === sentence ? {} : { message }),
    ...(few.length > 0 ? { details: Object.fromEntries(few) } : {}),
  }
  return { words: own`${fixed(code)}: ${fixed(sentence)}`, next: fixed(next), about, error: { code, message, details, next } }
}

const isOfLibrary = (code: string): code is ErrorCode => Object.hasOwn(errors, code)

/** No server reported it: an error of this side, by its code. What is not foreseen has none, and its message may repeat what it fell over. */
function ofMachine(error: unknown, reached?: Reached): Understood {
  const { code: given, message, next } = error as { code?: unknown; message?: unknown; next?: unknown }
  const code = (typeof given === 'string' ? codeOf(given) : undefined) ?? fixed('INTERNAL')
  const about = { message: String(message), ...(typeof next === 'string' ? { next } : {}) }
  const words = own`${code}: This was not done. The data says why.`
  return { words, next: reached?.nextOf?.(code.text), about, error: { code: code.text, ...about } }
}
