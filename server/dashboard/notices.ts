/** What is said on the page after something was done. It travels in a cookie of the browser, so that no link can make a page say it. */

const sentences = {
  'set-up': 'The workspace is made, and you are signed in as its owner.',
  'key-revoked': 'The key is revoked. Programs that used it are refused from their next request on.',
  'invitation-withdrawn': 'Withdrawn: the link no longer works.',
  denied: 'It is on the denylist: nobody can push it any more.',
  allowed: 'Taken off the denylist: it can be pushed again.',
  looked: 'Looked. What would go is counted below; nothing was removed.',
  swept: 'Removed. What is left to remove is counted below.',
  joined: 'You belong to this workspace now. Your new password is saved, and every other browser has been signed out.',
  'role-saved': 'The role is saved; it counts from the next request on.',
  'member-disabled': 'Disabled: no sign-in and no key of theirs works any more.',
  'member-disabled-released': 'Disabled: no sign-in and no key of theirs works any more. What they had checked out is released.',
  'check-outs-released': 'Released: others can push versions of what they had checked out.',
  'member-enabled': 'Enabled: they can sign in again, and their keys work.',
  'password-chosen': 'Your password is saved, and you are signed in.',
  'password-changed': 'Your password is changed. Every other browser has been signed out.',
} as const

export type Notice = keyof typeof sentences

export const sentenceOf = (name: string | undefined): string | undefined =>
  name !== undefined && Object.hasOwn(sentences, name) ? sentences[name as Notice] : undefined
