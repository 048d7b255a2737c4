/** `@prop-house/client/sign-in`: which workspace and key `ph` uses on this machine. Signing in itself is `ph login`. */
export { type Folders, findFolders } from '../folders.ts'
export { normalizeAddress } from '../sign-in/address.ts'
export {
  type Connection,
  type ConnectionChoice,
  findAddress,
  findConnection,
  type Profile,
  type Profiles,
  readProfiles,
} from '../sign-in/profile.ts'
