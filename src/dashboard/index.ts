export { type DashboardOptions, type DashboardPorts, type OpenDashboard, openDashboard } from './open.ts';
export type { Terminal } from './screen.tsx';
export {
  type Alarm,
  type DashboardEvent,
  type DashboardSetting,
  type DashboardState,
  dashboardState,
  initialState,
} from './state.ts';
