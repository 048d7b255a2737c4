/** Two people of one workspace who work on the same props, each in a project of their own, as they type commands. */
import { callAs, type Json } from './api.ts'
import { type Person, personAt } from './person.ts'
import type { TestServer } from './server.ts'

/** Olivia, the owner, has pushed a barrel, the oak that it needs, and a stool; Mia, a member, has pulled it all. */
export async function inn(server: TestServer) {
  const { url, keys } = await server.addWorkspace()
  const [olivia, mia] = [personAt(url, keys.olivia), personAt(url, keys.mia)]
  await olivia.save('M_Oak')
  await editBarrel(olivia)
  await olivia.save('SM_Stool')
  await olivia.ok('push')
  await mia.ok('pull SM_Barrel SM_Stool --project Inn')
  const api = callAs(url, keys.olivia)
  const active = async (): Promise<Json[]> => (await api.get('/locks?active=true')).body.locks
  const versions = async (name: string): Promise<Json[]> => {
    const { entries } = (await api.get(`/entries?name=${name}`)).body
    return (await api.get(`/lineages/${entries[0].lineage_id}`)).body.objects
  }
  return { url, keys, olivia, mia, api, active, versions }
}

/** Saves the barrel, which goes on needing the oak. */
export const editBarrel = (person: Person, payload = '') => person.save('SM_Barrel', payload, { imports: ['/Game/Inn/M_Oak'] })
