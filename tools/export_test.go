package tools

// RepairArguments lets tests reach the repair without a pipeline around it.
var RepairArguments = repairArguments
