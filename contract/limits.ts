/** Every number of the service specification's section 8 that more than one file needs. Sizes are bytes, durations say their unit. */

const MiB = 1024 * 1024
const GiB = 1024 * MiB

export const limits = {
  page: { min: 1, max: 200, default: 50 },
  changesPage: { max: 1000, default: 200 },
  /** Streams of changes that are open at once: for each key, at one process of the server. */
  liveStreams: 5,
  /** Of the preview queue; the thumbnail queue pages like everything else. */
  queuePage: { max: 2000, default: 500 },
  manifest: { items: 5000, packs: 5000, dependenciesPerItem: 10_000, variantGroups: 500, recommendedBatch: 500 },
  /** `hours`: how long its pusher may take a push back. `versions`: in one call. `used`: of what stands in the way. */
  pushUndo: { batches: 1000, hours: 24, keptDays: 7, versions: 200_000, used: 1000 },
  metadataDoc: { bytes: 64 * 1024, extDepth: 8, materials: 64 },
  thumbnail: { edgePx: 512, bytes: 8 * MiB },
  preview: { glbBytes: 64 * MiB, imageEdgePx: 8192, imageBytes: 64 * MiB, audioBytes: 32 * MiB, audioChannels: 8 },
  mediaPresign: { items: 1000 },
  /** The best hits of a ranked search; there are no more behind them. */
  ranked: 1000,
  /** A picture to search by. */
  searchImage: { bytes: 16 * MiB },
  /** Of each list of one question about current versions. */
  lineagesFound: 5000,
  /** Referrers that are named for one path. */
  referrersNamed: 20,
  names: { entry: 200, asset: 200, assetClass: 200, pack: 200, sourceType: 50, category: 120, tag: 80, collection: 200 },
  description: 4000,
  /** Entries in one curation call. */
  bulk: 1000,
  pullJob: { entries: 1000, files: 5000, projectName: 200, leaseMinutes: 60, reportBytes: 2 * MiB },
  /**
   * Of what a version needs, or what needs it, directly or through others. `files`: in one answer. `counted`: where ids are only counted
   * or looked through. `edges`: references from one of them to another that are looked at for one answer. Not limited by the
   * specification.
   */
  graph: { files: 20_000, counted: 100_000, edges: 1_000_000 },
  note: 1000,
  comment: 4000,
  attachment: { bytes: 8 * MiB, pixels: 64_000_000, strokesBytes: MiB, perPlace: 10, looseHours: 24 },
  annotation: { geometryBytes: 16 * 1024, pointsMin: 2, pointsMax: 2000 },
  /** `many`: lineages or locks in one call. `shown`: of those around one lineage, on the radar. */
  lock: { hours: 720, defaultHours: 72, many: 1000, shown: 100 },
  editorSession: {
    heartbeatSeconds: { min: 5, max: 3600 },
    fact: 200,
    lastError: 500,
    agentJobs: 20,
    listedHours: 24,
    /** Honest people have a handful. */
    listed: 1000,
    keptDays: 7,
  },
  /** Missing dependencies and plugins of one version; missing dependencies of a manifest: of a recommended batch, all there may be. */
  missing: { dependencies: 1000, plugins: 1000, pluginName: 200, perManifest: 500_000 },
  /** Stored files on the denylist that are listed, the largest. */
  denylisted: 200,
  /** Of each kind of thing that a sweep would remove, as many are counted. */
  sweepCounted: 100_000,
  /** Packs whose stored bytes are told apart, the largest. */
  storagePacks: 100,
  /** Of each list of a change of a level's parts. */
  levelParts: 100_000,
  otherProjects: 10,
  /** Of one version. */
  payloadIds: 64,
  /** Of one group of entries that hold the same source data: those that are named. */
  duplicates: { entries: 100 },
  /** Not limited by the specification; one file beyond this is a mistake, not a prop. */
  blobBytes: 1024 * GiB,
  /** The largest body of JSON that any route takes, and the largest answer. */
  jsonBodyBytes: 64 * MiB,
  /** Of routes that state nothing else. */
  plainBodyBytes: MiB,
  /** Of a request to `/mcp` (spec 7). */
  assistantBodyBytes: 1_000_000,
  /** Of requests that need no key. */
  signInBodyBytes: 64 * 1024,
  /** Lists of hashes, ids and paths, each as long as it may be. */
  questionBodyBytes: 6 * MiB,
  /** Some 50,000 members with their keys. */
  provisionFileBytes: 16 * MiB,
  /** Such a file, and what stands around it. */
  provisionBodyBytes: 16 * MiB + 64 * 1024,
  /** A report, and what indents it. */
  reportBodyBytes: 3 * MiB,
  /**
   * Whatever a body of JSON holds: `weight` is its bytes, 64 for each object, list and key, and 24 for each comma, about what
   * it takes of the memory of a server that has read it. A full manifest of 64 MiB weighs up to 240 MiB.
   */
  json: { depth: 64, weight: 256 * MiB },
  /**
   * Failures are those of one e-mail, one address, one browser that signed in before, or one person entering codes, in the window
   * (contract-gaps 3). `sessions` and `devices` are those of one account.
   */
  signIn: {
    failures: 10,
    codeRequests: 10,
    windowMinutes: 10,
    sessionDays: 30,
    sessions: 50,
    deviceDays: 365,
    devices: 20,
    invitationDays: 7,
    clientName: 80,
  },
  deviceCode: { seconds: 900, intervalSeconds: 5, slowDownSeconds: 5 },
  /** Of one person in one workspace, at once. */
  keys: { perMember: 1000, name: 120 },
  /** People who were asked to join a workspace and have not accepted. */
  invitations: { perWorkspace: 1000 },
  presignedMinutes: 15,
  /** Ids marked as read at once; overrides put at once, repeated ones included. */
  notifications: { read: 500, prefs: 32 },
  /** The specification gives no pages of watches: one page holds what a person follows, the rest comes by a cursor. */
  watches: 1000,
  /**
   * `perWorkspace` is not of the specification. `atOnce`: requests under way to one endpoint. `retryMinutes`: after the first
   * attempt.
   */
  webhook: {
    url: 2000,
    minSecret: 8,
    maxSecret: 200,
    timeoutSeconds: 10,
    attempts: 5,
    retryMinutes: [1, 5, 30, 120],
    redirects: 3,
    keptDays: 30,
    atOnce: 4,
    perWorkspace: 200,
  },
  /** People of one round, later ones included. */
  reviewers: 20,
  /** Of the desktop agent's own API. */
  agent: { path: 4096, paths: 1000, openPackages: 5000, pauseMinutes: 7 * 24 * 60, query: 500 },
  retention: { activityDays: 365, changesDays: 30 },
} as const
