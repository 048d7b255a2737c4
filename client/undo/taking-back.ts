/** The table by route: of every call that writes, how it is taken back, why it cannot be, or why it is no change of its own. */
import { checkOuts } from './check-outs.ts'
import { entryFields } from './entry-fields.ts'
import { memberships } from './memberships.ts'
import { nouns } from './nouns.ts'
import { reviews } from './reviews.ts'
import { aside, type Rows, stays } from './row.ts'
import { takenAway } from './taken-away.ts'
import { talk } from './talk.ts'

const partOfPush = 'A part of a push, or of what is shown of versions: a push is taken back as a whole.'
const accounts = 'Concerns keys and sign-ins, and nothing in the library.'
const ofPull = 'A part of a pull, which brings files and changes nothing in the library.'
const ownMarks = 'Marks of one person alone, which say what was looked at.'

export const takingBack: Rows = {
  ...checkOuts,
  ...entryFields,
  ...memberships,
  ...nouns,
  ...reviews,
  ...talk,
  ...takenAway,
  ...aside('identity', ['login', 'logout', 'setup'], accounts),
  ...aside('deviceSignIns', ['start', 'collect'], accounts),
  ...aside('tokens', ['create', 'revoke'], accounts),
  ...aside('editorSessions', ['heartbeat', 'remove'], 'Says which editors run now.'),
  ...aside('blobs', ['put'], partOfPush),
  ...aside('push', ['commit'], partOfPush),
  ...stays('push', 'undo', {
    stays: 'What was taken back is not in the library any more. Push the files again.',
    what: ({ dry_run }) => (dry_run ? 'Looked what taking a push back would do' : 'Took a push back'),
  }),
  ...aside(
    'media',
    ['putThumbnail', 'putPreview', 'putMetadata', 'unavailable', 'unavailableMany', 'presign', 'finalize'],
    partOfPush,
  ),
  ...aside('attachments', ['create', 'putStrokes'], 'A picture belongs to what it is attached to, and goes with it.'),
  ...aside('pullJobs', ['claim', 'heartbeat'], ofPull),
  ...aside('notifications', ['read', 'seen'], ownMarks),
  ...stays('admin', 'deny', {
    stays: 'Take the file off the list by `ph admin denylist remove`.',
    what: () => 'Put a file on the list of those that are refused',
  }),
  ...stays('admin', 'allow', {
    stays: 'Put the file on the list again by `ph admin denylist add`.',
    what: ({ denylist_id }) => `Took ${denylist_id} off the list of files that are refused`,
  }),
  ...stays('admin', 'sweep', {
    stays: 'What a sweep removed is gone. Nothing used it.',
    what: ({ kind, dry_run }) => (dry_run ? `Looked what a sweep of ${kind} would remove` : `Swept ${kind}`),
  }),
  ...stays('admin', 'refreshPreviews', {
    stays: 'Previews are made anew from the versions themselves; those of before are not kept.',
    what: () => 'Asked for new previews',
  }),
}
