/** The log for a person at a terminal: one plain line for each JSON line. */
import { stripVTControlCharacters } from 'node:util'

interface Line {
  level: number
  time: string
  msg?: string
  req?: { method?: string; path?: string }
  res?: { status?: number }
  err?: { message?: string }
}

const warning = 40
const error = 50

/** `10:42:07 GET /api/v1/entries 200`, or `10:42:07 warning: …`. */
export function logWords(json: string): string {
  const { level, time, msg = '', req, res, err } = JSON.parse(json) as Line
  const weight = level >= error ? 'error: ' : level >= warning ? 'warning: ' : ''
  const request = req ? [req.method, req.path, res?.status].filter((part) => part !== undefined).join(' ') : ''
  const said = msg === 'answered' ? request : [request, msg, err?.message].filter(Boolean).join(': ')
  return `${time.slice(11, 19)} ${weight}${onOneLine(said)}\n`
}

/** What others sent must not move the cursor. */
const onOneLine = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ')
