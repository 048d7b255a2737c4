/** What a page handler answers, and how it is sent: markup, or the address to go to next; always with the headers that keep it to itself. */
import type { FastifyReply } from 'fastify'
import { createElement, type FunctionComponent, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

export interface Shown {
  page: ReactElement
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
}

/** After a form was sent: so that reloading the next page sends nothing again. */
export interface SentOn {
  /** Whole path, workspace included. */
  to: string
}

export type Answer = Shown | SentOn

/** A page out of its view and what the view shows. */
export const show = <P extends object>(view: FunctionComponent<P>, props: P, more: Omit<Shown, 'page'> = {}): Shown => ({
  page: createElement(view, props),
  ...more,
})

/** Nothing but our stylesheet, fonts and mark is loaded, forms go to this server only, nobody frames a page, nothing is kept by caches. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.headers(headers)
  if ('to' in answer) return reply.code(303).header('Location', answer.to).send()
  return reply
    .code(answer.status ?? 200)
    .headers(answer.headers ?? {})
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(`<!doctype html>${renderToStaticMarkup(answer.page)}`)
}
