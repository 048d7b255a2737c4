/** How people get `ph`: for the one who comes, before they have a key or an account. */

import { isPlainHttp } from '../../../contract/plain-http.ts'
import { clientPaths } from '../../../contract/version.ts'
import { addressOf, commandWord } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { InstallPage } from '../views/install.tsx'
import type { Visit } from '../visit.ts'

export const install = {
  'GET /install'(visit: Visit): Answer {
    const address = addressOf(visit)
    const tarball = commandWord(`${address}${clientPaths.tarball}`)
    return show(InstallPage, {
      frame: visit.frame,
      commands: { tarball, address: commandWord(address) },
      isOpen: isPlainHttp(address),
    })
  },
}
