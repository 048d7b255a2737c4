/** A prop by its number and its project, as people are told which of two props is meant. */

interface Prop {
  entry_id: number | null
  /** The project that its current version was pushed from; absent where the library does not say it. */
  pushed_from?: string | null | undefined
}

/** `entry 12 of Harbor`. */
export function whoseProp({ entry_id, pushed_from }: Prop): string {
  const prop = entry_id === null ? 'a prop' : `entry ${entry_id}`
  return pushed_from ? `${prop} of ${pushed_from}` : prop
}

/** Whether it is known to be of another project than `project`. */
export const isOfOther = ({ pushed_from }: Pick<Prop, 'pushed_from'>, project: string): boolean =>
  Boolean(pushed_from) && pushed_from?.toLowerCase() !== project.toLowerCase()

/** Which prop the library has at the path of a file that it does not know, and that the project of the file has none there. */
export function inItsPlace(there: Prop, project: string | null): string {
  const none = project !== null && isOfOther(there, project) ? `, and ${project} has none` : ''
  return `the library has ${whoseProp(there)} at this path${none}`
}
