// What an editor of each Unreal release writes into a package about itself and its layout.

export type EngineRelease = {
  major: number
  minor: number
  patch: number
  changelist: number
  branch: string
  /** Legacy file version: which fields the summary has. */
  legacyVersion: number
  /** Object versions; 0 for a release before Unreal Engine 5. */
  ue4Version: number
  ue5Version: number
}

type Layout = Pick<EngineRelease, 'legacyVersion' | 'ue4Version' | 'ue5Version'>
const layout = (legacyVersion: number, ue4Version: number, ue5Version = 0): Layout => ({ legacyVersion, ue4Version, ue5Version })

const layouts: Record<string, Layout> = {
  '4.22': layout(-7, 517),
  '4.23': layout(-7, 517),
  '4.24': layout(-7, 518),
  '4.25': layout(-7, 518),
  '4.26': layout(-7, 522),
  '4.27': layout(-7, 522),
  '5.0': layout(-8, 522, 1004),
  '5.1': layout(-8, 522, 1008),
  '5.2': layout(-8, 522, 1009),
  '5.3': layout(-8, 522, 1009),
  '5.4': layout(-8, 522, 1012),
  '5.5': layout(-8, 522, 1013),
  '5.6': layout(-9, 522, 1017),
  '5.7': layout(-9, 522, 1018),
}

/** `5.3.2` and the like; throws for a release whose layout is not known here. */
export function engineRelease(version: string): EngineRelease {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const found = layouts[`${major}.${minor}`]
  if (found === undefined)
    throw new Error(`No package layout is known for Unreal Engine ${version}; known: ${Object.keys(layouts).join(', ')}.`)
  // Changelists only grow from release to release; these are of a believable size.
  const changelist = 7_000_000 + (major - 4) * 12_000_000 + minor * 1_500_000 + patch * 90_000
  return { major, minor, patch, changelist, branch: `++UE${major}+Release-${major}.${minor}`, ...found }
}
