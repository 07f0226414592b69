import BoardCheck
import Testing
