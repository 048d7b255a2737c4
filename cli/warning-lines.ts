/** Warnings about pulls, as the library words them. */
import type { PullWarning } from '../contract/pull-jobs.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'
import { wrap } from './wrap.ts'

/** Things that do not stop a pull, and that people want to know. */
export const warningLines = (warnings: readonly PullWarning[], { paint, width }: Output): string[] =>
  warnings.length === 0
    ? []
    : [
        '',
        paint(['yellow', 'bold'], 'Worth knowing:'),
        ...warnings.flatMap(({ message }) => wrap(printable(message), width, '  ')),
      ]
