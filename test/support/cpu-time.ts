/** Returns the CPU time of this process since `before`, in ms. The time of other processes does not count. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
