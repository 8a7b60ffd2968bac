"""How well memories are extracted and consolidated, measured on conversations that we made up."""
