/** Which budget a call is counted against: what the client goes by is what the contract says. */
import { expect, test } from 'vitest'
import { budgetOf } from '../../client/http/request-budget.ts'
import { allRoutes } from '../../contract/index.ts'

test('every route of the contract has the budget that the client waits for', () => {
  const wrong = allRoutes.filter(
    ([, , route]) => budgetOf(route.path.replaceAll(/\{\w+\}/g, '42')) !== (route.budget ?? 'general'),
  )
  expect(wrong.map(([, , { method, path, budget }]) => `${method} ${path} is ${budget ?? 'general'}`)).toEqual([])
})
