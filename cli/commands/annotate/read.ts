/** A file of drawings, or standard input: read, and refused with the field that is wrong. */
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { aboutFile } from '../../../client/client-error.ts'
import { type Drawing, type Fault, readDrawings } from '../../../client/discussion/drawings.ts'
import { exits } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { Context } from '../../context.ts'
import { Refusal, wrongUsage } from '../../refusal.ts'
import { number } from '../../terminal/amounts.ts'
import { readAll } from '../../terminal/standard-input.ts'

const next = 'See `ph help annotate` for what a drawing holds. Nothing was drawn.'

/** Refuses with `VALIDATION`, all faults at once. */
export async function readDrawingFile(context: Context, file: string): Promise<Drawing[]> {
  const { text, name } = await textOf(context, file)
  const { drawings, faults } = readDrawings(parsed(text, name))
  const [first] = faults
  if (!first) return drawings
  throw new Refusal({
    code: 'VALIDATION',
    exit: exits.usage,
    message: `${name}: ${words(first)}${faults.length > 1 ? `, and ${number(faults.length - 1)} more` : ''}.`,
    next,
    details: { errors: faults },
  })
}

const words = ({ path, message }: Fault): string => (path === '' ? message : `${path} ${message}`)

async function textOf(context: Context, file: string): Promise<{ text: string; name: string }> {
  if (file === '-') {
    const bytes = await readAll(context, 'The drawing', limits.jsonBodyBytes)
    return { text: bytes.toString('utf8'), name: 'Standard input' }
  }
  const path = resolve(context.cwd, file)
  try {
    const { size } = await stat(path)
    if (size > limits.jsonBodyBytes) throw wrongUsage(`${file} is larger than any drawing.`, next)
    return { text: await readFile(path, 'utf8'), name: file }
  } catch (error) {
    throw aboutFile(error, path)
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw wrongUsage(`${name} is not JSON: ${(error as Error).message}.`, next)
  }
}
