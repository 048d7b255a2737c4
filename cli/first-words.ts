/** The first words after `ph`: their groups and lines in `ph help`, and the file that each loads. */
import type { FirstWord } from './command-line/parser.ts'
import { curation, inGroup, library, machine, signIn, together } from './command-line/word-groups.ts'

const entry = '<entry>'

/** Every first word after `ph`; the file of the same name in commands/ is loaded only when the word is used. */
export const firstWords: Record<string, FirstWord> = {
  ...inGroup(library, {
    push: {
      takes: '[folders or files…]',
      summary: 'Send an Unreal Content folder, or files, to the library',
      load: () => import('./commands/push.ts'),
    },
    pull: {
      takes: '[entries…]',
      summary: 'Bring props with everything they need into a project',
      load: () => import('./commands/pull.ts'),
    },
    undo: {
      takes: '[folder]',
      summary: 'Take back the last change in the library, or one of a list',
      load: () => import('./commands/undo.ts'),
    },
    status: {
      takes: '[folder]',
      summary: 'Compare a project with the library: what is modified here, what is outdated',
      load: () => import('./commands/status.ts'),
    },
    search: {
      takes: '[words…]',
      summary: 'Find props by words, tags, kinds and measures, or list them all',
      load: () => import('./commands/search.ts'),
    },
    show: {
      takes: entry,
      summary: 'Show a prop: picture, facts, versions, dependencies and referencers',
      load: () => import('./commands/show.ts'),
    },
    diff: {
      takes: '<prop or file>',
      summary: 'Compare two versions of a prop, or a file with the version it was made from',
      load: () => import('./commands/diff.ts'),
    },
    history: {
      takes: entry,
      summary: 'List every version of a prop',
      load: () => import('./commands/history.ts'),
    },
    download: {
      takes: '<entries…>',
      summary: 'Fetch the files of props, without a project',
      load: () => import('./commands/download.ts'),
    },
    send: {
      takes: '<entries…>',
      summary: "Order props for someone else's project",
      load: () => import('./commands/send.ts'),
    },
    jobs: {
      takes: 'list | show | cancel',
      summary: 'Pull jobs: what waits, what they bring, how they went',
      load: () => import('./commands/jobs.ts'),
    },
    editors: { summary: 'List the editors that you have open', load: () => import('./commands/editors.ts') },
    inbox: {
      summary: 'What waits for you: reviews, changes, mentions, replies, check-outs that end soon',
      load: () => import('./commands/inbox.ts'),
    },
    api: {
      takes: '[method] <path>',
      summary: 'Call any route of the service',
      load: () => import('./commands/api.ts'),
    },
  }),
  ...inGroup(together, {
    checkout: {
      takes: '<files or props…>',
      summary: 'Say that you are editing props, so that nobody else pushes them meanwhile',
      load: () => import('./commands/checkout.ts'),
    },
    checkin: {
      takes: '<files or props…>',
      summary: 'Push what you have checked out, and give it back',
      load: () => import('./commands/checkin.ts'),
    },
    release: {
      takes: '[files or props…]',
      summary: 'Give back what you have checked out, without a push',
      load: () => import('./commands/release.ts'),
    },
    locks: {
      summary: 'List what is checked out, by whom and until when',
      load: () => import('./commands/locks.ts'),
    },
    review: {
      takes: 'request | list | show | …',
      summary: 'Reviews: ask people about a version, answer, decide',
      load: () => import('./commands/review.ts'),
    },
    comment: {
      takes: '<entry> [text]',
      summary: 'Say something about a prop, reply, change or delete what you said',
      load: () => import('./commands/comment.ts'),
    },
    comments: {
      takes: entry,
      summary: 'Read what was said about a prop',
      load: () => import('./commands/comments.ts'),
    },
    resolve: {
      takes: '<comment>',
      summary: 'Say that a thread is done with, or open it again',
      load: () => import('./commands/resolve.ts'),
    },
    react: {
      takes: '<comment> <emoji>',
      summary: 'Put an emoji under a comment',
      load: () => import('./commands/react.ts'),
    },
    annotate: {
      takes: '<entry> <file>',
      summary: 'Draw on the picture of a prop, for programs',
      load: () => import('./commands/annotate.ts'),
    },
    annotations: {
      takes: entry,
      summary: 'List what was drawn on the pictures of a prop',
      load: () => import('./commands/annotations.ts'),
    },
    notifications: {
      takes: '[read | seen | prefs]',
      summary: 'Read what others did that concerns you, and choose what you are told',
      load: () => import('./commands/notifications.ts'),
    },
    watch: {
      takes: '<entries…>',
      summary: 'Hear of every comment on props',
      load: () => import('./commands/watch.ts'),
    },
    unwatch: {
      takes: '<entries…>',
      summary: 'Stop hearing of the comments on props',
      load: () => import('./commands/unwatch.ts'),
    },
    mute: {
      takes: '<entries…>',
      summary: 'Hear nothing of the comments on props, whatever you do with them',
      load: () => import('./commands/mute.ts'),
    },
    watches: { summary: 'List what you watch, and what you muted', load: () => import('./commands/watches.ts') },
    activity: {
      takes: '[entry]',
      summary: 'See what happened in the library or to a prop, and follow what happens',
      load: () => import('./commands/activity.ts'),
    },
    webhooks: {
      takes: 'list | create | listen | …',
      summary: 'Tell other programs what happens, and try out receivers',
      load: () => import('./commands/webhooks.ts'),
    },
  }),
  ...inGroup(curation, {
    tag: {
      takes: 'list | add | remove | …',
      summary: 'Tags: words that you put on entries',
      load: () => import('./commands/tag.ts'),
    },
    collection: {
      takes: 'list | show | add | …',
      summary: 'Collections: entries that belong together',
      load: () => import('./commands/collection.ts'),
    },
    category: {
      takes: 'list | set | clear',
      summary: 'Categories: what kind of thing an entry is',
      load: () => import('./commands/category.ts'),
    },
    variant: {
      takes: 'group | ungroup',
      summary: 'Entries that are one prop in several looks',
      load: () => import('./commands/variant.ts'),
    },
    pack: {
      takes: 'list | show | edit | …',
      summary: 'Packs: where entries came from',
      load: () => import('./commands/pack.ts'),
    },
    project: {
      takes: 'list | create | edit | …',
      summary: 'Projects: where entries are pulled to',
      load: () => import('./commands/project.ts'),
    },
    rename: {
      takes: '<entry> [name]',
      summary: 'Give props other names',
      load: () => import('./commands/rename.ts'),
    },
    restore: {
      takes: '<entries…>',
      summary: 'Make earlier versions of props current again',
      load: () => import('./commands/restore.ts'),
    },
    deprecate: {
      takes: '<entries…>',
      summary: 'Take props out of lists and searches, or back in',
      load: () => import('./commands/deprecate.ts'),
    },
    duplicates: {
      takes: '[prop]',
      summary: 'Find props that hold the same mesh, picture or sound, and what could be saved',
      load: () => import('./commands/duplicates.ts'),
    },
    delete: {
      takes: '<entries…>',
      summary: 'Delete props that nobody ever pulled',
      load: () => import('./commands/delete.ts'),
    },
    admin: {
      takes: 'denylist | sweep | storage | …',
      summary: 'For owners and admins: the denylist, storage, what can go',
      load: () => import('./commands/admin.ts'),
    },
  }),
  ...inGroup(signIn, {
    login: {
      summary: 'Sign in to a workspace, in the browser or with a key',
      load: () => import('./commands/login.ts'),
    },
    logout: { summary: 'Sign out and revoke the key', load: () => import('./commands/logout.ts') },
    whoami: {
      summary: 'Say who you are here, and where the key is kept',
      load: () => import('./commands/whoami.ts'),
    },
  }),
  ...inGroup(machine, {
    capabilities: {
      takes: '[words…]',
      summary: 'Say what ph can do, for programs: commands, flags, exit codes, schemas',
      load: async () => (await import('./commands/capabilities.ts')).capabilitiesIn(firstWords),
    },
    config: {
      takes: 'list | get | set | unset',
      summary: 'What you set once: editor, pictures, cache size, project …',
      load: () => import('./commands/config.ts'),
    },
    alias: {
      takes: 'list | set | delete',
      summary: 'Names of your own for command lines',
      load: async () => (await import('./commands/alias.ts')).aliasesFor(firstWords),
    },
    completion: {
      takes: '<shell>',
      summary: 'Print the script with which a shell completes commands and names',
      load: () => import('./commands/completion.ts'),
    },
    agent: {
      takes: 'start | link | status | …',
      summary: 'The desktop agent: brings what you send to your projects, and warns of clashes',
      load: () => import('./commands/agent.ts'),
    },
    demo: {
      summary: 'See it all work: a sample project, a server, two pushes, a pull',
      load: () => import('./commands/demo.ts'),
    },
    mcp: { summary: 'The library for AI assistants on this machine (MCP)', load: () => import('./commands/mcp.ts') },
    mirror: {
      takes: 'status | update | rebuild',
      summary: 'The catalog on this machine, for looking without the server',
      load: () => import('./commands/mirror.ts'),
    },
    doctor: {
      summary: 'Look for what is wrong here, and say the command that fixes it',
      load: () => import('./commands/doctor.ts'),
    },
    inspect: {
      takes: '<files…>',
      summary: 'Show what is in files; needs no server',
      load: () => import('./commands/inspect.ts'),
    },
    previews: {
      takes: 'work | status',
      summary: 'Make the previews and thumbnails that the library wants',
      load: () => import('./commands/previews.ts'),
    },
    convert: {
      takes: '<files…>',
      summary: 'Make GLB, PNG or WAV of packages and source files; needs no server',
      load: () => import('./commands/convert.ts'),
    },
    update: { summary: 'Bring ph up to the version that the server hands out', load: () => import('./commands/update.ts') },
    server: {
      takes: 'start | doctor | …',
      summary: 'Run the companion server, and look after it',
      load: () => import('./commands/server.ts'),
    },
  }),
}
