export { freeKeys, holdKeys, lendKeys } from './keyboard.ts';
export { type DashboardOptions, type OpenDashboard, openDashboard } from './open.ts';
export { dashboardState, initialState } from './reducer.ts';
export { openReview, type ReviewOptions } from './review/open-review.ts';
export type { ReviewEffect } from './review/review-state.ts';
export type { Terminal } from './screen.tsx';
export type { DashboardEvent, DashboardState } from './state.ts';
