# frozen_string_literal: true

# Does the job that the environment names, and ends. Each job is a file, loaded only if it is the one to be done.

JOBS = {
  "query-batch" => "queries",
  "transaction-batch" => "units",
  "call-batch" => "calls",
  "task-creation" => "tasks",
  "task-switching" => "switches"
}.freeze
TASKS = {
  "thread" => "threads", "fiber" => "fibers", "neverblock" => "neverblock", "new-fibers" => "new_fibers"
}.freeze

job = ENV.fetch("JOB", "")
abort "there is no job #{job.inspect}; there are: #{JOBS.keys.join(', ')}" unless JOBS.key?(job)
task = ENV.fetch("TASK", "thread")
abort "TASK must be one of #{TASKS.keys.join(', ')}, not #{task.inspect}" unless TASKS.key?(task)

require_relative TASKS[task]
require_relative JOBS[job]
