/** Failures as pages, for browsers: not there, not allowed, too fast, our fault. Programs get JSON (server/http/error-answers.ts). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Settings } from '../config.ts'
import { sendAnswer, show } from './answer.ts'
import { type FailureWords, PageFailure } from './page-failure.ts'
import { FailurePage } from './views/failure.tsx'
import { bareFrame } from './visit.ts'

/** Asks nothing of the database: it may be what fails. */
export function sendFailure(
  error: PageFailure | Refusal | ApiError,
  at: { request: FastifyRequest; settings: Settings },
  reply: FastifyReply,
) {
  const { title, message, next, link = overview, headers = {} } = wordsOf(error, at.request)
  const bare = bareFrame(at.request, at)
  // A workspace that is not there has no overview to go to.
  const frame = error instanceof Refusal ? { ...bare, at: bare.whole } : bare
  return sendAnswer(reply, show(FailurePage, { frame, title, message, next, link }, { status: error.status, headers }))
}

const overview = { page: '/', words: 'To the overview' }

function wordsOf(error: PageFailure | Refusal | ApiError, { url }: FastifyRequest): FailureWords {
  if (error instanceof PageFailure) return error.words
  if (error instanceof ApiError && error.code === 'VALIDATION') return unreadable
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return missing(url)
  const [title, next] = titles[error.status] ?? titles[error.status >= 500 ? 500 : 400] ?? []
  return {
    title: title ?? 'That did not work',
    message: error.message,
    next,
    ...(error instanceof Refusal ? { headers: error.headers } : {}),
  }
}

const missing = (url: string): FailureWords => ({
  title: 'Page not found',
  message: `There is no page at ${url.split('?')[0]}.`,
  next: 'Check the address, or start from the overview.',
})

/** What Fastify does not hand on to a page. */
const unreadable: FailureWords = {
  title: 'That could not be read',
  message: 'What was sent is larger than any form of these pages, or no form at all.',
  next: 'Go back and send the form again.',
}

/** Title, and what to do next where the message does not say it. */
const titles: Record<number, [title: string, next?: string]> = {
  400: ['That did not work'],
  403: ['That is not allowed'],
  404: ['Not found', 'Check the address, or start from the overview.'],
  429: ['A moment, please'],
  500: ['Something went wrong', 'It is in the log of the server. Trying again may help.'],
  503: ['Not at the moment', 'Try again in a few seconds.'],
}
