/** Finds the rows that match a question, with what each is worth. */

import { bestWeight } from '../../../words/field-weights.ts'
import type { Question } from '../../../words/query-words.ts'
import type { Dictionary } from './dictionary.ts'
import type { Field } from './forward-index.ts'
import { postingsPerClause, queryPlan, rowsOf } from './query-plan.ts'
import { Scores } from './scores.ts'
import { RecordScoring, type Said, type Scored } from './scoring.ts'

/** All that is known of the words of one library. */
export interface Library extends Said {
  dictionary: Dictionary
}

/** Every row that matches, ascending, not yet filtered or cut. Good until the next change of the library. */
export interface Hits extends Scored {
  /** Above 0, at most 1. */
  scoreOf(weight: number): number
  /** Where a row says what was asked, strongest first. */
  fieldsOf(row: number): Field[]
}

export function findHits(library: Library, question: Question): Hits {
  const scoring = new RecordScoring(library, question)
  const { rows, weights } = match(library, question, scoring)
  const best = bestWeight(question.wordCount)
  return {
    rows,
    weights,
    scoreOf: (weight) => weight / best,
    fieldsOf: (row) => scoring.fieldsOf(row),
  }
}

const nothing: Scored = { rows: new Uint32Array(), weights: new Uint16Array() }

/**
 * Passes along the postings of the clauses, rarest first, until few rows are left; those are weighed by what they say, as are those
 * whose words have to stand side by side.
 */
function match(library: Library, question: Question, scoring: RecordScoring): Scored {
  const { dictionary, nameLengths } = library
  const steps = queryPlan({ dictionary, rowCount: nameLengths.length }, question)
  const [rarest] = steps
  if (!rarest) return nothing
  if (rarest.rows * question.clauses.length * postingsPerClause < nameLengths.length) return scoring.only(rowsOf(rarest))
  const scores = new Scores(nameLengths)
  let rest = steps.reduce((sum, { size }) => sum + size, 0)
  for (const [passed, step] of steps.entries()) {
    if (passed > 0 && scores.left * question.clauses.length * postingsPerClause < rest) return scoring.only(scores.rows())
    scores.see(step)
    scores.pass(step.words, passed === 0)
    rest -= step.size
    if (scores.left === 0) break
  }
  return scores.left === 0 ? nothing : scores.found(scoring)
}
