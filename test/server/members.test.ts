/** Members: who belongs to a workspace, as its keys see them. */
import { expect, test } from 'vitest'
import { callsTo } from '../support/calls.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

test('a member is shown by id, and one that is not there is named in the error', async () => {
  const api = callsTo(await server.addWorkspace(), 'mia')
  const { id } = await api.members.me()
  expect(await api.members.get({ user_id: id })).toMatchObject({ id, name: 'mia', role: 'member', active: true })
  await expect(api.members.get({ user_id: 999_999 })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})

test('the list holds everyone of the workspace, an owner counting as admin', async () => {
  const api = callsTo(await server.addWorkspace(), 'miaReads')
  const { members } = await api.members.list()
  expect(members.map(({ name, role, kind }) => [name, role, kind])).toEqual([
    ['olivia', 'admin', 'person'],
    ['adam', 'admin', 'person'],
    ['mia', 'member', 'person'],
    ['max', 'member', 'person'],
  ])
})

test('a member of another workspace does not exist here', async () => {
  const { id } = await callsTo(await server.addWorkspace(), 'olivia').members.me()
  const elsewhere = callsTo(await server.addWorkspace(), 'olivia')
  await expect(elsewhere.members.get({ user_id: id })).rejects.toMatchObject({ code: 'USER_NOT_FOUND' })
})
