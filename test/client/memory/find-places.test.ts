/** What lies in a project, as libraries of today and of before answer it. */
import { expect, test } from 'vitest'
import type { Api } from '../../../client/http/api.ts'
import { findPlaces } from '../../../client/memory/find-places.ts'
import { ApiError } from '../../../contract/errors.ts'

type Answer = Awaited<ReturnType<Api['lineages']['find']>>

/** Answers in turn, and throws what is an error. */
function library(...answers: (Partial<Answer> | Error)[]) {
  const asked: unknown[] = []
  const find = async ({ places }: { places?: unknown } = {}) => {
    const answer = answers[asked.push(places) - 1]
    if (answer instanceof Error) throw answer
    return { cursor: 0, lineages: [], versions: [], ...answer } as Answer
  }
  return { api: { lineages: { find } } as unknown as Pick<Api, 'lineages'>, asked }
}

const place = (n: number) => ({ path: `/game/sm_${n}`, lineage_id: `lin_${n}` })

test('pages are asked for until the last, and a library that repeats itself is not followed', async () => {
  const two = library({ places: [place(1)], places_next: 7 }, { places: [place(2)], places_next: null })
  expect((await findPlaces(two.api, 'Inn'))?.places).toEqual([place(1), place(2)])
  expect(two.asked).toEqual([
    { project: 'Inn', after: 0 },
    { project: 'Inn', after: 7 },
  ])
  const again = { places: [place(1)], places_next: 7 }
  expect((await findPlaces(library(again, again).api, 'Inn'))?.places).toHaveLength(2)
})

test('an older library, which refuses the question or does not hear it, says nothing; other failures are thrown', async () => {
  const refused = new ApiError('VALIDATION', 'places: is not a field.')
  for (const answer of [refused, {}]) expect(await findPlaces(library(answer).api, 'Inn')).toBeUndefined()
  const away = new ApiError('INTERNAL', 'It failed.')
  await expect(findPlaces(library(away).api, 'Inn')).rejects.toBe(away)
})

test('more paths than one question may hold are asked for in several', async () => {
  const paths = Array.from({ length: 5001 }, (_, n) => `/game/sm_${n}`)
  const both = library({ places: [place(1)] }, { places: [place(5000)] })
  expect((await findPlaces(both.api, 'Inn', paths))?.places).toEqual([place(1), place(5000)])
  expect(both.asked).toEqual([paths.slice(0, 5000), paths.slice(5000)].map((part) => ({ project: 'Inn', paths: part, after: 0 })))
})
